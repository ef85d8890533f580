"""Records each request with an id, one log line, metrics and a span. These contain route templates, but no texts,
tokens or addresses.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final
from uuid import uuid4

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.core.turn_events import Done, Error, NumberedEvent, Token
from app.kit.tracing import span

_FAST = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_OF_ROUTES = (0.01, 0.05, 0.25, 1, 2.5, 10)  # few buckets, because each route has them


class StreamMeter:
    """Counts answer streams, how they end, and how long visitors wait for the first token."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._live = Gauge("docent_live_streams", "Answer streams being written now.", registry=registry)
        self._ends = Counter(
            "docent_streams", "Answer streams by how they ended: done, error or left.", ["end"], registry=registry
        )
        self._answers = Counter(
            "docent_answers", "Streamed answers by who answered.", ["answered_by", "low_confidence"], registry=registry
        )
        self._first_token = Histogram(
            "docent_first_token_seconds",
            "From the stream's start to its first token.",
            buckets=_FAST,
            registry=registry,
        )

    @contextmanager
    def stream(self) -> Iterator[Callable[[NumberedEvent], None]]:
        """Meter a stream while the block runs. Call the yielded function with every event."""
        started = time.perf_counter()
        end, has_token = "left", False

        def seen(event: NumberedEvent) -> None:
            nonlocal end, has_token
            match event.event:
                case Token() if not has_token:
                    has_token = True
                    self._first_token.observe(time.perf_counter() - started)
                case Done() as done:
                    end = "done"
                    self._answers.labels(done.answered_by.value, str(done.low_confidence).lower()).inc()
                case Error():
                    end = "error"

        self._live.inc()
        try:
            yield seen
        finally:
            self._live.dec()
            self._ends.labels(end).inc()


class RequestMeter:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "docent_http_requests", "Requests by route and status.", ["method", "route", "status"], registry=registry
        )
        self._seconds = Histogram(
            "docent_http_request_seconds",
            "From the request to the start of its answer.",
            ["method", "route"],
            buckets=_OF_ROUTES,
            registry=registry,
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)


_log = structlog.get_logger("docent.web")

REQUEST_ID_HEADER = "X-Request-ID"
_REQUEST_ID = re.compile(r"[A-Za-z0-9-]{8,64}", re.ASCII)
_REFUSED = "docent.refused"
PIECE_BYTES: Final = 64 * 1024
PLAIN_SEND: Final = "docent.send"
"""Key of the scope's original `send`. Middlewares wrap it only to read or change the start of the response."""
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class RequestLog:
    def __init__(self, app: ASGIApp, *, meter: RequestMeter) -> None:
        self._app = app
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid4().hex
        started = time.perf_counter()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
                seconds = time.perf_counter() - started
                self._meter.answered(*_metered(scope, status), status, seconds)
            elif len(message.get("body", b"")) > PIECE_BYTES:
                await _send_in_pieces(message, send)
                return
            await send(message)

        scope[PLAIN_SEND] = send
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, send_with_id)
            finally:
                _log.info(
                    "request.answered",
                    method=request_method(scope),
                    route=route_template(scope),
                    status=status,
                    duration_ms=round((time.perf_counter() - started) * 1000),
                )


async def _send_in_pieces(message: Message, send: Send) -> None:
    """Send a body in pieces. The server accepts a piece when the client has read most of the one before, so that it
    never buffers a whole answer for a client that does not read."""
    body = memoryview(message["body"])
    last = (len(body) - 1) // PIECE_BYTES * PIECE_BYTES
    for start in range(0, last, PIECE_BYTES):
        await send({**message, "body": body[start : start + PIECE_BYTES], "more_body": True})
    await send({**message, "body": body[last:]})


def note_refusal(scope: Scope) -> None:
    """Note that the caller was not admitted. Metrics then omit the route: otherwise a scan of all routes would add a
    series for each of them."""
    scope[_REFUSED] = True


def _metered(scope: Scope, status: int) -> tuple[str, str]:
    """(method, route) as labels of metrics, with no more combinations than there are operations."""
    method = request_method(scope)
    route = "refused" if status == 405 or _REFUSED in scope else route_template(scope)
    return "GET" if method == "HEAD" else method, route


def request_method(scope: Scope) -> str:
    return str(scope["method"]) if scope["method"] in _METHODS else "other"


def route_template(scope: Scope) -> str:
    return str(getattr(scope.get("route"), "path", "unmatched"))


_LEFT_OUT: Final = frozenset({"/healthz", "/readyz", "/metrics"})  # requested every few seconds, by machines


class TracedRequests:
    """Creates a span for each request, as a child of the caller's if there is a W3C `traceparent`. Follows
    OpenTelemetry's conventions for HTTP, but with the route instead of the path and query, which may contain secrets
    and search terms."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _LEFT_OUT:
            await self._app(scope, receive, send)
            return
        method = request_method(scope)
        given = Headers(scope=scope)
        callers = {name: given[name] for name in ("traceparent", "tracestate") if name in given}
        attributes = {"http.request.method": method, "url.scheme": str(scope.get("scheme", "http"))}
        with span(method, attributes, kind="server", headers=callers) as traced:

            async def send_and_note(message: Message) -> None:
                if message["type"] == "http.response.start":
                    status, route = int(message["status"]), route_template(scope)
                    traced.rename(f"{method} {route}")
                    traced.set("http.route", route)
                    traced.set("url.path", route)
                    traced.set("http.response.status_code", status)
                    if status >= 500:
                        traced.fail(str(status))
                await send(message)

            await self._app(scope, receive, send_and_note)
