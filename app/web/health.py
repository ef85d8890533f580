"""Whether the process lives, whether it can serve, and what it counts."""

from collections.abc import Sequence

import structlog
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.responses import JSONResponse, Response

from app.web.endpoint import AnyEndpoint, Call, Endpoint, Everyone, Model
from app.web.services import Readiness

TAG = "Health"
_NO_STORE = {"Cache-Control": "no-store"}
_log = structlog.get_logger("docent.web")


class HealthOut(Model):
    status: str


class ReadinessOut(Model):
    status: str
    parts: dict[str, bool]


class IndexOut(Model):
    name: str
    version: str
    docs: str


class Health:
    def __init__(self, readiness: Readiness, metrics: CollectorRegistry, version: str) -> None:
        self._readiness = readiness
        self._metrics = metrics
        self._version = version

    def endpoints(self) -> Sequence[AnyEndpoint]:
        anyone = Everyone()
        return (
            Endpoint("GET", "/", "getIndex", "What this is", TAG, anyone, self.index, response_model=IndexOut),
            Endpoint(
                "GET", "/healthz", "getHealth", "The process lives", TAG, anyone, self.health, response_model=HealthOut
            ),
            Endpoint(
                "GET",
                "/readyz",
                "getReadiness",
                "Whether every part answers; 503 when one does not",
                TAG,
                anyone,
                self.ready,
                response_model=ReadinessOut,
                other_statuses={503: "A part does not answer, or the process is about to end."},
            ),
            Endpoint(
                "GET",
                "/metrics",
                "getMetrics",
                "Prometheus metrics",
                TAG,
                anyone,
                self.metrics,
                response_media_type="text/plain",
            ),
        )

    async def index(self, call: Call[None, None]) -> IndexOut:
        return IndexOut(name="docent", version=self._version, docs="/openapi.json")

    async def health(self, call: Call[None, None]) -> HealthOut:
        return HealthOut(status="ok")

    async def ready(self, call: Call[None, None]) -> Response:
        try:
            parts = dict(await self._readiness())
        except Exception:
            _log.exception("readiness_check_failed")
            parts = {"readiness": False}
        is_ready = all(parts.values())
        content = {"status": "ready" if is_ready else "not_ready", "parts": parts}
        return JSONResponse(content, 200 if is_ready else 503, _NO_STORE)

    async def metrics(self, call: Call[None, None]) -> Response:
        return Response(generate_latest(self._metrics), headers={**_NO_STORE, "Content-Type": CONTENT_TYPE_LATEST})
