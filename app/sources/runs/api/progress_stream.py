"""Writes a run's progress as Server-Sent Events: `progress` whenever it has moved, `done` when the run has ended."""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import asdict
from uuid import UUID

import anyio
from sse_starlette import EventSourceResponse

from app.core.actor import Actor
from app.sources.runs.run_control import RunWatch
from app.sources.runs.run_progress import RunProgress
from app.sources.source import ENDED_STATES
from app.web.limits_policy import StreamPolicy
from app.web.sse import event_stream

DESCRIPTION = (
    "Server-Sent Events: progress whenever the run has moved, then done when it has ended; a paused run is waited "
    "for. `data` is one JSON object on one line that repeats the event's name. Comment lines are heartbeats."
)
EXAMPLE = (
    'event: progress\ndata: {"event":"progress","run_id":"2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11","state":"running",'
    '"stop_reason":"","queued":40,"fetched":60,"unchanged":50,"indexed":8,"failed":2,"pages_per_second":4.0,'
    '"seconds_left":10}\n\n'
)


def progress_response(watch: RunWatch, actor: Actor, run_id: UUID, policy: StreamPolicy) -> EventSourceResponse:
    stopping = anyio.Event()  # set by the library when the server is told to end
    return event_stream(_frames(watch, actor, run_id, policy.look_seconds, stopping), policy, stopping, grace_seconds=1)


async def _frames(
    watch: RunWatch, actor: Actor, run_id: UUID, look_seconds: float, stopping: anyio.Event
) -> AsyncIterator[bytes]:
    async def pause() -> bool:
        with anyio.move_on_after(look_seconds):
            await stopping.wait()
        return not stopping.is_set()

    async with aclosing(watch.progress(actor, run_id, pause)) as looks:
        async for look in looks:
            yield _frame(look)


def _frame(look: RunProgress) -> bytes:
    name = "done" if look.state in ENDED_STATES else "progress"
    fields = {"event": name, **asdict(look), "run_id": str(look.run_id)}
    return f"event: {name}\ndata: {json.dumps(fields, ensure_ascii=True, separators=(',', ':'))}\n\n".encode("ascii")
