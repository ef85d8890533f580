"""Writes a playground's answer as Server-Sent Events: those of a turn, and `trace` before the last one."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import uuid4

import anyio
import structlog
from sse_starlette import EventSourceResponse

from app.agents.agent import LiveAgent, Version
from app.answers.playground import Playground, PlaygroundAnswer, PlaygroundListener, PlaygroundQuestion
from app.core.errors import ModelInterrupted
from app.core.turn_events import Citations, Done, Error, NumberedEvent, Start, Status, Token, TurnEvent
from app.web.limits_policy import StreamPolicy
from app.web.sse import event_stream, frame

log = structlog.get_logger(__name__)

DESCRIPTION = (
    "Server-Sent Events: start, status, token, citations as in a visitor's stream, then trace (what the same call "
    "without the stream answers) and done, or error. The ids in start and done name nothing: nothing is stored."
)
EXAMPLE = (
    'id: 1\nevent: start\ndata: {"event":"start","turn_id":"2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11",'
    '"conversation_id":"2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11"}\n\n'
)
_BROKE_OFF = Error("model_interrupted", "The answer was interrupted. Ask again.", retryable=True)
_FAILED = Error("internal", "Something went wrong on our side, and it is logged. Ask again.", retryable=True)


def playground_response(
    playground: Playground,
    agent: LiveAgent,
    asked: PlaygroundQuestion,
    version: Version,
    trace: Callable[[PlaygroundAnswer], dict[str, Any]],
    policy: StreamPolicy,
) -> EventSourceResponse:
    """The writing ends with the reading: it is nobody's turn."""
    events: asyncio.Queue[TurnEvent | PlaygroundAnswer] = asyncio.Queue()
    listener = PlaygroundListener(
        lambda stage: events.put_nowait(Status(stage)), lambda piece: events.put_nowait(Token(piece))
    )

    async def write() -> None:
        try:
            events.put_nowait(await playground.ask(agent.workspace_id, agent.id, asked, version, listener))
        except ModelInterrupted:
            events.put_nowait(_BROKE_OFF)
        except Exception:
            log.exception("playground.failed", agent=str(agent.id))
            events.put_nowait(_FAILED)

    async def frames() -> AsyncIterator[bytes]:
        name, number = uuid4(), 1
        yield frame(NumberedEvent(number, Start(name, name)))
        writing = asyncio.create_task(write())
        try:
            while True:
                event = await events.get()
                if not isinstance(event, PlaygroundAnswer):
                    number += 1
                    yield frame(NumberedEvent(number, event))
                    if isinstance(event, Error):
                        return
                    continue
                if event.citations:
                    number += 1
                    yield frame(NumberedEvent(number, Citations(event.citations)))
                yield _trace_frame(number + 1, trace(event))
                told = (event.answered_by, event.is_low_confidence, event.confidence, event.finish)
                yield frame(NumberedEvent(number + 2, Done(name, name, *told)))
                return
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

    return event_stream(frames(), policy, anyio.Event(), grace_seconds=1)


def _trace_frame(number: int, told: dict[str, Any]) -> bytes:
    data = json.dumps({"event": "trace", **told}, ensure_ascii=True, separators=(",", ":"))
    return f"id: {number}\nevent: trace\ndata: {data}\n\n".encode("ascii")
