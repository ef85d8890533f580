"""Circuit breakers around each port: a provider that is down is not called for a while."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeVar
from uuid import UUID

from app.core.chunk import IndexHit
from app.core.errors import (
    EmbedderUnavailable,
    IndexUnavailable,
    ModelInterrupted,
    ModelUnavailable,
    RerankerUnavailable,
)
from app.kit.circuit_breaker import CircuitBreaker, CircuitOpen
from app.kit.timeouts import patient_timeout
from app.providers.chat.chat_model import ChatMessage, ChatModel, ChatStream
from app.providers.embedding.embedder import Embedder, WrappedEmbedder
from app.providers.indexes.search_indexes import VectorSearch
from app.providers.reranking.reranker import PairScore, Reranker

Result = TypeVar("Result")

_LONGEST_WAIT_SECONDS: Final = 60.0  # a provider is tried again after this time, whatever its Retry-After


class CircuitChatModel:
    """An answer that breaks off counts as a failure, like one that never begins; a refusal of the prompt alone does
    not. An error with a Retry-After opens the circuit at once for that time."""

    def __init__(self, model: ChatModel, circuit: CircuitBreaker) -> None:
        self._model = model
        self._circuit = circuit

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        refused: ModelUnavailable | None = None
        try:
            with self._circuit.call((ModelUnavailable, ModelInterrupted)):
                try:
                    async with self._model.stream(messages, max_tokens=max_tokens) as items:
                        yield items
                except ModelUnavailable as error:
                    if not error.is_of_prompt:
                        raise
                    refused = error
        except CircuitOpen as error:
            raise ModelUnavailable(str(error)) from error
        except ModelUnavailable as error:
            if error.retry_after_seconds > 0:
                self._circuit.open_for(min(error.retry_after_seconds, _LONGEST_WAIT_SECONDS))
            raise
        if refused is not None:
            raise refused


class CircuitEmbedder(WrappedEmbedder):
    """Raises EmbedderUnavailable after `seconds`, or at once while the service is down: search then uses keywords
    alone. Pages are embedded without this, because they can wait."""

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


class CircuitVectorSearch:
    """Raises IndexUnavailable after `seconds`, not counting delays of this process, or at once while the object store
    is down: answers then use keywords alone. Writes go without this, because they can wait."""

    def __init__(self, vectors: VectorSearch, circuit: CircuitBreaker, *, seconds: float) -> None:
        self._vectors = vectors
        self._circuit = circuit
        self._seconds = seconds

    async def search(
        self, agent_id: UUID, vector: Sequence[float], limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        return await self._in_time(lambda: self._vectors.search(agent_id, vector, limit, among))

    async def similarities(self, agent_id: UUID, vector: Sequence[float], chunk_ids: Sequence[str]) -> dict[str, float]:
        return await self._in_time(lambda: self._vectors.similarities(agent_id, vector, chunk_ids))

    async def chunk_ids(self, agent_id: UUID) -> set[str]:
        return await self._in_time(lambda: self._vectors.chunk_ids(agent_id))

    async def _in_time(self, call: Callable[[], Awaitable[Result]]) -> Result:
        try:
            with self._circuit.call((IndexUnavailable, TimeoutError)):
                async with patient_timeout(self._seconds):
                    return await call()
        except CircuitOpen as error:
            raise IndexUnavailable(str(error)) from error
        except TimeoutError as error:
            raise IndexUnavailable(f"The store of the vectors took longer than {self._seconds:g} s.") from error
