"""Admin API: readings of a source, estimated before they begin, watched and controlled while they go on."""

from pydantic import Field
from starlette.responses import Response

from app.core.actor import Actor
from app.sources.api.sources import TAG, RunOut
from app.sources.runs.api import progress_stream
from app.sources.runs.run_control import RunPreviews, RunWatch
from app.sources.sources import Sources
from app.web.limits_policy import StreamPolicy
from app.web.operation import Api, Call, Model, StreamWords, get, post, read, write


class AdminRuns(Api):
    tag = TAG

    def __init__(self, sources: Sources, watch: RunWatch, streams: StreamPolicy) -> None:
        self._sources = sources
        self._watch = watch
        self._streams = streams

    @post("/v1/sources/{source_id}/cancel", "Cancel the latest crawl; what it has learnt is kept", access=write)
    async def cancel_source(self, call: Call[Actor, None]) -> RunOut:
        return RunOut.of(await self._sources.cancel(call.caller, call.path_id("source_id")))

    @post(
        "/v1/sources/{source_id}/pause",
        "Pause the latest crawl; its queue is kept",
        access=write,
        codes=("invalid_request",),
    )
    async def pause_source(self, call: Call[Actor, None]) -> RunOut:
        return RunOut.of(await self._sources.pause(call.caller, call.path_id("source_id")))

    @post(
        "/v1/sources/{source_id}/resume",
        "Resume a paused crawl",
        access=write,
        codes=("invalid_request",),
    )
    async def resume_source(self, call: Call[Actor, None]) -> RunOut:
        return RunOut.of(await self._sources.resume(call.caller, call.path_id("source_id")))

    @get(
        "/v1/sources/{source_id}/progress",
        "Stream the progress of the latest crawl",
        access=read,
        response_media_type="text/event-stream",
        stream=StreamWords(progress_stream.DESCRIPTION, progress_stream.EXAMPLE),
    )
    async def watch_source(self, call: Call[Actor, None]) -> Response:
        run_id = await self._watch.run_id(call.caller, call.path_id("source_id"))
        return progress_stream.progress_response(self._watch, call.caller, run_id, self._streams)


class PreviewOut(Model):
    pages_known: int = Field(description="Pages of the last whole reading.")
    pages_listed: int = Field(description="Pages that sitemaps or feed list now.")
    pages_to_ask: int = Field(description="Pages that would be asked for; what has not changed costs a header each.")
    pages_new: int = Field(description="Of them, those never read.")
    pages_changed: int = Field(description="Of them, those listed with a later date than our reading.")
    chunks_known: int
    chunks_expected: int | None = Field(description="To embed, of new and changed pages; null while nothing is known.")
    chunks_at_most: int | None = Field(
        description="To embed, if every page had changed that is not listed as unchanged."
    )
    problems: tuple[str, ...] = Field(description="Lists that could not be read, each with its reason.")


class AdminPreviews(Api):
    tag = TAG

    def __init__(self, previews: RunPreviews) -> None:
        self._previews = previews

    @post(
        "/v1/sources/{source_id}/preview",
        "Estimate what a crawl would cost; nothing is embedded or stored",
        access=write,
        codes=("invalid_request",),
    )
    async def preview_reading(self, call: Call[Actor, None]) -> PreviewOut:
        return PreviewOut.of(await self._previews.of(call.caller, call.path_id("source_id")))
