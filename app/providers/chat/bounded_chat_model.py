"""ChatModel: limits how many answers are written at once."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from app.core.errors import ModelUnavailable
from app.kit.limits.concurrency_limiter import ConcurrencyLimiter, ConcurrencyLimitReached
from app.providers.chat.chat_model import ChatMessage, ChatModel, ChatStream


class BoundedChatModel:
    def __init__(self, model: ChatModel, limiter: ConcurrencyLimiter) -> None:
        self._model = model
        self._limiter = limiter

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        try:
            async with (
                self._limiter.slot(),
                self._model.stream(messages, max_tokens=max_tokens) as items,
            ):
                yield items
        except ConcurrencyLimitReached as error:
            raise ModelUnavailable(f"The chat model is busy with other answers: {error}.") from error
