"""Admin API: readings of a source: estimate, watch and control them."""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import asdict
from uuid import UUID

import anyio
from sse_starlette import EventSourceResponse
from starlette.responses import Response

from app.core.actor import Actor
from app.sources.api.sources import TAG, RunOut
from app.sources.runs.run_control import RunPreview, RunPreviews, RunWatch
from app.sources.runs.run_progress import RunProgress
from app.sources.source import ENDED_STATES
from app.sources.sources import Sources
from app.web.limits_policy import StreamPolicy
from app.web.operation import Api, Call, Model, StreamWords, get, post, read, write
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


class AdminRuns(Api):
    tag = TAG
    _sources: Sources
    _watch: RunWatch
    _streams: StreamPolicy

    @post("/v1/sources/{source_id}/cancel", "Cancel the latest crawl; what it has indexed is kept", access=write)
    async def cancel_source(self, call: Call[Actor, None]) -> RunOut:
        return RunOut.showing(await self._sources.cancel(call.caller, call.path_id("source_id")))

    @post(
        "/v1/sources/{source_id}/pause",
        "Pause the latest crawl; its queue is kept",
        access=write,
        codes=("invalid_request",),
    )
    async def pause_source(self, call: Call[Actor, None]) -> RunOut:
        return RunOut.showing(await self._sources.pause(call.caller, call.path_id("source_id")))

    @post(
        "/v1/sources/{source_id}/resume",
        "Resume a paused crawl",
        access=write,
        codes=("invalid_request",),
    )
    async def resume_source(self, call: Call[Actor, None]) -> RunOut:
        return RunOut.showing(await self._sources.resume(call.caller, call.path_id("source_id")))

    @get(
        "/v1/sources/{source_id}/progress",
        "Stream the progress of the latest crawl",
        access=read,
        response_media_type="text/event-stream",
        stream=StreamWords(DESCRIPTION, EXAMPLE),
    )
    async def watch_source(self, call: Call[Actor, None]) -> Response:
        run_id = await self._watch.run_id(call.caller, call.path_id("source_id"))
        return progress_response(self._watch, call.caller, run_id, self._streams)


class PreviewOut(
    Model,
    shows=RunPreview,
    fields="pages_known pages_listed pages_to_ask pages_new pages_changed chunks_known chunks_expected "
    "chunks_at_most problems",
): ...


class AdminPreviews(Api):
    tag = TAG
    _previews: RunPreviews

    @post(
        "/v1/sources/{source_id}/preview",
        "Estimate what a crawl would cost; nothing is embedded or stored",
        access=write,
        codes=("invalid_request",),
    )
    async def preview_reading(self, call: Call[Actor, None]) -> PreviewOut:
        return PreviewOut.showing(await self._previews.preview(call.caller, call.path_id("source_id")))


def progress_response(watch: RunWatch, actor: Actor, run_id: UUID, policy: StreamPolicy) -> EventSourceResponse:
    """A run's progress whenever it has changed, and `done` when the run has ended."""
    stopping = anyio.Event()  # the library sets it when the server has to stop
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
