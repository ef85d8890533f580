"""A chat model that says what it was told to."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, Literal

import anyio

from app.core.turn import Finish, TokenUsage
from app.providers.chat.chat_model import ChatEnd, ChatMessage, ChatStream, TextDelta, Thinking, ToolCall


class UnheardCancel(asyncio.Event):
    """To be waited for through one cancellation, which gets lost as in `asyncio.wait_for` before Python 3.12."""

    async def wait(self) -> Literal[True]:
        with suppress(asyncio.CancelledError):
            return await super().wait()
        return await super().wait()


# Text to say, a sign of thought, an error to raise, an event to wait for, a tool to ask for.
Step = str | Thinking | Exception | anyio.Event | asyncio.Event | ToolCall


_USAGE: Final = TokenUsage(prompt_tokens=10, completion_tokens=5, model="scripted")


class ScriptedChatModel:
    """Each call plays the next of `replies`, and the last one ever after.

    `why` is whom it names for its end. `requests` holds what every call was given; `closed` counts the calls whose
    block was left.
    """

    def __init__(
        self,
        *replies: Sequence[Step],
        finish: Finish = Finish.COMPLETE,
        usage: TokenUsage = _USAGE,
        why: str = "",
    ) -> None:
        self._replies = replies or (("Hello.",),)
        self._finish = finish
        self._usage = usage
        self._why = why
        self.requests: list[list[ChatMessage]] = []
        self.closed = 0

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        self.requests.append(list(messages))
        steps = self._replies[min(len(self.requests), len(self._replies)) - 1]
        try:
            yield self._play(steps)
        finally:
            self.closed += 1

    async def _play(self, steps: Sequence[Step]) -> ChatStream:
        for step in steps:
            if isinstance(step, Exception):
                raise step
            if isinstance(step, anyio.Event | asyncio.Event):
                await step.wait()
            elif isinstance(step, Thinking):
                yield step
            elif isinstance(step, str) and step:
                yield TextDelta(step)
        calls = tuple(step for step in steps if isinstance(step, ToolCall))
        yield ChatEnd(self._finish, self._usage, calls=calls, why=self._why)
