"""A chat model that says its first source's text, and waits in the middle where it was asked to."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from app.core.turn import Finish, TokenUsage
from app.providers.chat.chat_model import ChatEnd, ChatMessage, ChatStream, TextDelta

_SOURCE = re.compile(r'<source id="1" url="[^"]*" title="[^"]*"[^>\n]*>\n(.*?)\n</source>', re.DOTALL)
_SLOWLY = re.compile(r"slowly:(\w+)")
FIRST_WORDS = "Here is what I found: "


class QuotingChatModel:
    """A question with `slowly:NAME` is answered up to FIRST_WORDS, and on once NAME was let go."""

    def __init__(self) -> None:
        self._held: dict[str, asyncio.Event] = {}

    def let_go(self, name: str) -> None:
        self._held.setdefault(name, asyncio.Event()).set()

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        yield self._said(messages[-1].content)

    async def _said(self, asked: str) -> ChatStream:
        yield TextDelta(FIRST_WORDS)
        if name := _SLOWLY.findall(asked):
            await self._held.setdefault(name[-1], asyncio.Event()).wait()
        source = _SOURCE.search(asked)
        yield TextDelta(f"{source[1]} [1]" if source else "nothing.")
        yield ChatEnd(Finish.COMPLETE, TokenUsage(prompt_tokens=10, completion_tokens=5, model="quoting"))
