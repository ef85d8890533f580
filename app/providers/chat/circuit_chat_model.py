"""ChatModel: one that is left alone while it is away."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.kit.circuit_breaker import CircuitBreaker, CircuitOpen
from app.providers.chat.chat_model import ChatMessage, ChatModel, ChatStream

_LONGEST_WAIT_SECONDS: Final = 60.0  # whatever a provider asks for, it is tried again after this


class CircuitChatModel:
    """An answer that breaks off counts as a failure as one does that never begins. A provider that says how long
    it wants to be left alone is left alone for that, after the first time."""

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
