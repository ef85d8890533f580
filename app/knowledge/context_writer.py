"""Asks a chat model where chunks stand, a few at a time."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog

from app.core.errors import Overloaded, Unavailable
from app.core.text.untrusted_text import without_controls
from app.core.turn import Finish
from app.knowledge.context_request import MAX_ANSWER_TOKENS, ContextRequest, Window
from app.providers.chat.chat_model import ChatEnd, ChatModel, TextDelta

log = structlog.get_logger(__name__)

_AT_ONCE = 4
_MAX_CHARS = 600


@dataclass(slots=True)
class Written:
    """What came of one window: texts by key, and why others are missing."""

    texts: dict[str, str] = field(default_factory=dict)
    reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ContextWriter:
    """Writes contexts by the chat port; retries and fallback are the port's. `model_id` names what the texts are
    kept under."""

    def __init__(self, model: ChatModel, model_id: str) -> None:
        self._model = model
        self.model_id = model_id

    async def write(self, window: Window, requests: Sequence[ContextRequest]) -> Written:
        """Those of the window's requests that are named. The first goes alone, so that the provider knows the
        document when the others come; if it fails, the others are not asked."""
        written = Written()
        if not requests:
            return written
        await self._ask(requests[0], written)
        if written.reason:
            return written
        slots = asyncio.Semaphore(_AT_ONCE)

        async def ask(request: ContextRequest) -> None:
            async with slots:
                await self._ask(request, written)

        async with asyncio.TaskGroup() as group:
            for request in requests[1:]:
                group.create_task(ask(request))
        return written

    async def _ask(self, request: ContextRequest, written: Written) -> None:
        parts: list[str] = []
        finish = Finish.COMPLETE
        try:
            async with self._model.stream(request.messages, max_tokens=MAX_ANSWER_TOKENS) as stream:
                async for item in stream:
                    match item:
                        case TextDelta(text):
                            parts.append(text)
                        case ChatEnd(finish, usage):
                            written.prompt_tokens += usage.prompt_tokens
                            written.completion_tokens += usage.completion_tokens
        except (Unavailable, Overloaded) as error:
            log.warning("context.not_written", chunk_id=request.chunk_id, reason=str(error))
            written.reason = str(error)
            return
        text = _one_line("".join(parts))
        if not text or finish is Finish.CONTENT_FILTER:
            written.reason = "The model wrote nothing."
            return
        written.texts[request.key] = text


def _one_line(text: str) -> str:
    line = " ".join(without_controls(text).split())
    return line if len(line) <= _MAX_CHARS else line[:_MAX_CHARS].rsplit(" ", 1)[0]
