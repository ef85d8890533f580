"""ChatModel: uses the first of several models that returns a token."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager

import structlog

from app.core.errors import ModelUnavailable
from app.providers.chat.chat_model import ChatItem, ChatMessage, ChatModel, ChatStream, Thinking, with_more

_log = structlog.get_logger(__name__)


class FailoverChatModel:
    """Tries the models in order, and moves on only while no token was returned, so that a visitor never reads half an
    answer of each. A model that failed is tried last for `rest_seconds`, so that not every turn waits for it,
    unless it only refused the prompt."""

    def __init__(
        self, models: Sequence[ChatModel], *, rest_seconds: float = 30.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        if not models:
            raise ValueError("no model to fail over to")
        self._models = tuple(models)
        self._rest_seconds = rest_seconds
        self._now = now
        self._rests_until = [0.0] * len(self._models)

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        async with AsyncExitStack() as opened, aclosing(self._attempt(opened, messages, max_tokens)) as items:
            yield items

    async def _attempt(
        self, opened: AsyncExitStack, messages: Sequence[ChatMessage], max_tokens: int
    ) -> AsyncGenerator[ChatItem, None]:
        """Yield the items of the first completion with a token, which is added to `opened`, to be closed."""
        failures: list[ModelUnavailable] = []
        for number in self._in_order():
            async with AsyncExitStack() as attempt:
                try:
                    completion = self._models[number].stream(messages, max_tokens=max_tokens)
                    items = await attempt.enter_async_context(completion)
                    while isinstance(first := await anext(items), Thinking):
                        yield first
                except ModelUnavailable as error:
                    if not error.is_of_prompt:
                        self._rests_until[number] = self._now() + self._rest_seconds
                    failures.append(error)
                    _log.warning("model.failed_over", model=number, reason=str(error))
                    continue
                self._rests_until[number] = 0.0
                opened.push_async_exit(attempt.pop_all())
            before = _spent(failures) or (0, 0)
            yield with_more(first, *before)
            async for item in items:
                yield with_more(item, *before)
            return
        is_of_prompt = all(error.is_of_prompt for error in failures)
        reasons, spent = " ".join(map(str, failures)), _spent(failures)
        raise ModelUnavailable(reasons, is_of_prompt=is_of_prompt, spent=spent) from failures[-1]

    def _in_order(self) -> list[int]:
        now = self._now()
        return sorted(range(len(self._models)), key=lambda number: self._rests_until[number] > now)


def _spent(failures: Sequence[ModelUnavailable]) -> tuple[int, int] | None:
    """The sum of tokens (prompt, completion) of the failed calls; None if no provider accepted its request."""
    counted = [failure.spent for failure in failures if failure.spent is not None]
    return (sum(read for read, _ in counted), sum(written for _, written in counted)) if counted else None
