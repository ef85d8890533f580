"""ChatModel: limits how many answers are written at once, and the time for an answer."""

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.kit.limits import ConcurrencyLimiter, ConcurrencyLimitReached
from app.kit.timeouts import ReusableTimeout
from app.providers.chat.chat_model import ChatItem, ChatMessage, ChatModel, ChatStream, Thinking


class BoundedChatModel:
    def __init__(self, model: ChatModel, limiter: ConcurrencyLimiter) -> None:
        self._model = model
        self._limiter = limiter

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        try:
            async with self._limiter.slot(), self._model.stream(messages, max_tokens=max_tokens) as items:
                yield items
        except ConcurrencyLimitReached as error:
            raise ModelUnavailable(f"The chat model is busy with other answers: {error}.") from error


class TimedChatModel:
    """Limits three waits: `silence_seconds` for the next item, `thinking_seconds` for the first word after the model
    began to think, and `answer_seconds` for the whole answer, which a trickle of letters cannot extend."""

    def __init__(
        self, model: ChatModel, *, silence_seconds: float, thinking_seconds: float, answer_seconds: float
    ) -> None:
        self._model = model
        self._silence_seconds = silence_seconds
        self._thinking_seconds = thinking_seconds
        self._answer_seconds = answer_seconds

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        ends_at = asyncio.get_running_loop().time() + self._answer_seconds
        async with AsyncExitStack() as opened:
            try:
                async with asyncio.timeout(self._silence_seconds):
                    items = await opened.enter_async_context(self._model.stream(messages, max_tokens=max_tokens))
            except TimeoutError as error:
                raise ModelUnavailable(self._too_slow(ends_at), spent=(0, 0)) from error
            async with aclosing(self._in_time(items, ends_at)) as timed:
                yield timed

    async def _in_time(self, items: ChatStream, ends_at: float) -> AsyncGenerator[ChatItem, None]:
        has_begun, thinks_until = False, math.inf
        timeout, loop = ReusableTimeout(), asyncio.get_running_loop()
        try:
            while True:
                due = min(loop.time() + self._silence_seconds, thinks_until, ends_at)
                item = await timeout.until(due, anext(items, None))
                if item is None:
                    return
                if isinstance(item, Thinking):
                    thinks_until = min(thinks_until, loop.time() + self._thinking_seconds)
                else:
                    has_begun, thinks_until = True, math.inf
                yield item
        except TimeoutError as error:
            if has_begun:
                raise ModelInterrupted(self._too_slow(ends_at)) from error
            raise ModelUnavailable(self._too_slow(ends_at, thinks_until), spent=(0, 0)) from error
        finally:
            timeout.close()

    def _too_slow(self, ends_at: float, thinks_until: float = math.inf) -> str:
        now = asyncio.get_running_loop().time()
        if now >= ends_at:
            return f"The model did not end its answer within {self._answer_seconds:g} s."
        if now >= thinks_until:
            return f"The model thought for {self._thinking_seconds:g} s without a word of its answer."
        return f"The model said nothing for {self._silence_seconds:g} s."
