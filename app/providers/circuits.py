"""Circuit breakers around each port: a provider that is down is not called for a while."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from app.core.errors import EmbedderUnavailable, ModelInterrupted, ModelUnavailable, RerankerUnavailable
from app.kit.circuit_breaker import CircuitBreaker, CircuitOpen
from app.providers.chat.chat_model import ChatMessage, ChatModel, ChatStream
from app.providers.embedding.embedder import Embedder, WrappedEmbedder
from app.providers.reranking.reranker import PairScore, Reranker

_LONGEST_WAIT_SECONDS: Final = 60.0  # a provider is tried again after this time, whatever its Retry-After


class CircuitChatModel:
    """An answer that breaks off counts as a failure, like one that never begins. A Retry-After opens the circuit at
    once for that time."""

    def __init__(self, model: ChatModel, circuit: CircuitBreaker) -> None:
        self._model = model
        self._circuit = circuit

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        try:
            with self._circuit.call((ModelUnavailable, ModelInterrupted)):
                async with self._model.stream(messages, max_tokens=max_tokens) as items:
                    yield items
        except CircuitOpen as error:
            raise ModelUnavailable(str(error)) from error
        except ModelUnavailable as error:
            if error.retry_after_seconds > 0:
                self._circuit.open_for(min(error.retry_after_seconds, _LONGEST_WAIT_SECONDS))
            raise


class CircuitEmbedder(WrappedEmbedder):
    """Waits `seconds` at most, and does not call a service that is down: search uses keywords meanwhile. Pages are
    embedded without this, because they can wait."""

    def __init__(self, embedder: Embedder, circuit: CircuitBreaker, *, seconds: float) -> None:
        super().__init__(embedder)
        self._circuit = circuit
        self._seconds = seconds

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        try:
            with self._circuit.call((EmbedderUnavailable, TimeoutError)):
                async with asyncio.timeout(self._seconds):
                    return await self._embedder.embed(texts)
        except CircuitOpen as error:
            raise EmbedderUnavailable(str(error)) from error
        except TimeoutError as error:
            raise EmbedderUnavailable(f"The embedding service took longer than {self._seconds:g} s.") from error


class CircuitReranker:
    """Exceeding the budget is a failure too, so that not every search waits in vain."""

    def __init__(self, reranker: Reranker, circuit: CircuitBreaker) -> None:
        self._reranker = reranker
        self._circuit = circuit

    @property
    def reads(self) -> frozenset[str] | None:
        return self._reranker.reads

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        try:
            with self._circuit.call(RerankerUnavailable):
                return await self._reranker.score(question, texts, budget_seconds=budget_seconds)
        except CircuitOpen as error:
            raise RerankerUnavailable(str(error)) from error
