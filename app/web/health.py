"""Liveness, readiness and metrics of the process."""

from collections.abc import Awaitable, Callable, Mapping

import structlog
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.web.access import CountedAddress, everyone
from app.web.endpoint import Api, Call, get
from app.web.metrics_text import MetricsText
from app.web.middleware.public_url import root_path_of
from app.web.model import Model

TAG = "Health"
WELCOME = "/console/welcome"
Readiness = Callable[[], Awaitable[Mapping[str, bool]]]
"""Says of each part ("record", "indexes") whether it answers now."""
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

    def __init__(self, readiness: Readiness, metrics: MetricsText, version: str) -> None:
        self._readiness = readiness
        self._metrics = metrics
        self._version = version

    @get("/", "What this is; browsers are led to a page", access=everyone, response_model=IndexOut)
    async def get_index(self, call: Call[None, None]) -> Response:
        here = root_path_of(call.request)
        if "text/html" in call.request.headers.get("accept", ""):
            return RedirectResponse(f"{here}{WELCOME}", 303, _NO_STORE)
        told = IndexOut(name="docent", version=self._version, docs=f"{here}/docs")
        return JSONResponse(told.model_dump(), headers={"Vary": "Accept"})

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
