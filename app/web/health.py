"""Liveness, readiness and metrics of the process, and a stream that `docent doctor --stream` reads through proxies."""

import asyncio
import hmac
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Final, NewType

import anyio
import structlog
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from sse_starlette import EventSourceResponse
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.core.errors import Unauthorized
from app.web.access import CountedAddress, bearer_token, everyone
from app.web.endpoint import Api, Call, StreamWords, get
from app.web.limits_policy import StreamPolicy
from app.web.middleware.public_url import root_path_of
from app.web.model import Model
from app.web.sse import event_stream

Exposition = Callable[[], Awaitable[bytes]]
"""Renders the metrics in the text format of Prometheus."""
MetricsToken = NewType("MetricsToken", str)
"""The token for reading the metrics; "" refuses everybody."""

KEPT_SECONDS: Final = 2.0  # shorter than any scraper's interval


def exposition_of(registry: CollectorRegistry) -> Exposition:

    async def text() -> bytes:
        return await asyncio.to_thread(generate_latest, registry)

    return text


class MetricsText:
    """Renders the metrics for one reader at a time and caches them for KEPT_SECONDS, so that many readers cost no
    more than one."""

    def __init__(self, exposition: Exposition, token: MetricsToken, now: Callable[[], float] = time.monotonic) -> None:
        self._exposition = exposition
        self._token = token.encode()
        self._now = now
        self._rendering = asyncio.Lock()
        self._text = b""
        self._rendered_at = float("-inf")

    async def read(self, request: Request) -> bytes:
        """The metrics as text. Raises Unauthorized without the token."""
        if not self._token:
            raise Unauthorized("Nobody may read metrics here. Set DOCENT_METRICS_TOKEN, and send it as a bearer token.")
        sent = bearer_token(request, "token of DOCENT_METRICS_TOKEN")
        if not hmac.compare_digest(sent.encode(), self._token):
            raise Unauthorized("This is not the token of DOCENT_METRICS_TOKEN. Send that one.")
        async with self._rendering:
            if self._now() - self._rendered_at >= KEPT_SECONDS:
                self._text = await self._exposition()
                self._rendered_at = self._now()
            return self._text


TAG = "Health"
WELCOME = "/console/welcome"
Readiness = Callable[[], Awaitable[Mapping[str, bool]]]
"""Returns for each part ("record", "indexes") whether it responds now."""
_NO_STORE = {"Cache-Control": "no-store"}
_log = structlog.get_logger("docent.web")


scrapers = CountedAddress("metrics", lambda limits: limits.metrics_per_address, ("unauthorized", "rate_limited"))


class HealthOut(Model):
    status: str


class ReadinessOut(Model):
    status: str
    parts: dict[str, bool]


class IndexOut(Model):
    name: str
    version: str
    docs: str


class Health(Api):
    tag = TAG
    _readiness: Readiness
    _metrics: MetricsText
    version: str

    @get("/", "What this is; browsers are led to a page", access=everyone, response_model=IndexOut)
    async def get_index(self, call: Call[None, None]) -> Response:
        here = root_path_of(call.request)
        if "text/html" in call.request.headers.get("accept", ""):
            return RedirectResponse(f"{here}{WELCOME}", 303, _NO_STORE)
        index = IndexOut(name="docent", version=self.version, docs=f"{here}/docs")
        return JSONResponse(index.model_dump(), headers={"Vary": "Accept"})

    @get("/healthz", "Liveness: the process responds", access=everyone)
    async def get_health(self, call: Call[None, None]) -> HealthOut:
        return HealthOut(status="ok")

    @get(
        "/readyz",
        "Readiness: 503 if a component does not respond",
        access=everyone,
        response_model=ReadinessOut,
        other_statuses={503: "A part does not answer, or the process is about to end."},
    )
    async def get_readiness(self, call: Call[None, None]) -> Response:
        try:
            parts = dict(await self._readiness())
        except Exception:
            _log.exception("readiness.check_failed")
            parts = {"readiness": False}
        is_ready = all(parts.values())
        content = {"status": "ready" if is_ready else "not_ready", "parts": parts}
        return JSONResponse(content, 200 if is_ready else 503, _NO_STORE)

    @get(
        "/metrics",
        "Prometheus metrics, for the token in DOCENT_METRICS_TOKEN",
        access=scrapers,
        response_media_type="text/plain",
    )
    async def get_metrics(self, call: Call[None, None]) -> Response:
        return Response(
            await self._metrics.read(call.request), headers={**_NO_STORE, "Content-Type": CONTENT_TYPE_LATEST}
        )


PROBE_PATH = "/healthz/stream"
PROBE_EVENTS = 20
PROBE_PAUSE_SECONDS = 0.05
_WORDS = StreamWords(
    f"Server-Sent Events: {PROBE_EVENTS} times tick, {round(PROBE_PAUSE_SECONDS * 1000)} ms apart, then done. "
    "`sent_ms` is the time since the first tick on the server's clock. Who gets them in clumps sits behind a proxy "
    "that buffers.",
    'id: 2\nevent: tick\ndata: {"event":"tick","sent_ms":50.2}\n\n',
)


a_few_times = CountedAddress("probe", lambda limits: limits.probes_per_address, ("rate_limited",))


class StreamProbe(Api):
    """A stream of known speed without an agent or a model."""

    tag = "Health"
    _policy: StreamPolicy

    @get(
        "/healthz/stream",
        "A stream at a known pace, to check whether a proxy buffers it",
        access=a_few_times,
        response_media_type="text/event-stream",
        stream=_WORDS,
    )
    async def probe_stream(self, call: Call[None, None]) -> EventSourceResponse:
        return event_stream(_ticks(), self._policy, anyio.Event(), grace_seconds=PROBE_EVENTS * PROBE_PAUSE_SECONDS)


async def _ticks() -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    began = loop.time()
    for number in range(1, PROBE_EVENTS + 1):
        yield _frame(number, "tick", loop.time() - began)
        await asyncio.sleep(PROBE_PAUSE_SECONDS)
    yield _frame(PROBE_EVENTS + 1, "done", loop.time() - began)


def _frame(number: int, name: str, seconds: float) -> bytes:
    data = json.dumps({"event": name, "sent_ms": round(seconds * 1000, 1)}, separators=(",", ":"))
    return f"id: {number}\nevent: {name}\ndata: {data}\n\n".encode("ascii")
