"""Admin API: the latest run of a source, stopped, continued and watched."""

from collections.abc import Sequence

from starlette.responses import Response

from app.operating.actor import Actor
from app.operating.run_watch import RunWatch
from app.operating.sources import Sources
from app.web import progress_stream
from app.web.admin_access import AdminAccess
from app.web.admin_sources import TAG, RunOut
from app.web.endpoint import AnyEndpoint, Call, Endpoint, StreamWords
from app.web.limits_policy import StreamPolicy


class AdminRuns:
    def __init__(self, sources: Sources, watch: RunWatch, access: AdminAccess, streams: StreamPolicy) -> None:
        self._sources = sources
        self._watch = watch
        self._access = access
        self._streams = streams

    def endpoints(self) -> Sequence[AnyEndpoint]:
        one, write = "/v1/sources/{source_id}", self._access.write
        return (
            Endpoint(
                "POST",
                f"{one}/cancel",
                "cancelSource",
                "End the latest reading; what it has learnt stays",
                TAG,
                write,
                self.cancel,
                response_model=RunOut,
                codes=("not_found",),
            ),
            Endpoint(
                "POST",
                f"{one}/pause",
                "pauseSource",
                "Let the latest reading rest; what waits stays in its queue",
                TAG,
                write,
                self.pause,
                response_model=RunOut,
                codes=("not_found", "invalid_request"),
            ),
            Endpoint(
                "POST",
                f"{one}/resume",
                "resumeSource",
                "Have a paused reading go on where it was",
                TAG,
                write,
                self.resume,
                response_model=RunOut,
                codes=("not_found", "invalid_request"),
            ),
            Endpoint(
                "GET",
                f"{one}/progress",
                "watchSource",
                "Progress of the latest reading, as it happens",
                TAG,
                self._access.read,
                self.progress,
                response_media_type="text/event-stream",
                stream=StreamWords(progress_stream.DESCRIPTION, progress_stream.EXAMPLE),
                codes=("not_found",),
            ),
        )

    async def cancel(self, call: Call[Actor, None]) -> RunOut:
        return RunOut.of(await self._sources.cancel(call.caller, call.path_id("source_id")))

    async def pause(self, call: Call[Actor, None]) -> RunOut:
        return RunOut.of(await self._sources.pause(call.caller, call.path_id("source_id")))

    async def resume(self, call: Call[Actor, None]) -> RunOut:
        return RunOut.of(await self._sources.resume(call.caller, call.path_id("source_id")))

    async def progress(self, call: Call[Actor, None]) -> Response:
        run_id = await self._watch.run_id(call.caller, call.path_id("source_id"))
        return progress_stream.progress_response(self._watch, run_id, self._streams)
