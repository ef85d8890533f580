"""Gives each request an id, one log line and one count: route templates only, no texts, tokens or addresses."""

import re
import time
from typing import Final
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.middleware.metrics import RequestMeter

_log = structlog.get_logger("docent.web")

REQUEST_ID_HEADER = "X-Request-ID"
_REQUEST_ID = re.compile(r"[A-Za-z0-9-]{8,64}", re.ASCII)
_REFUSED = "docent.refused"
PIECE_BYTES: Final = 64 * 1024
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
    """The server buffers what it is given. It takes the next piece when the client has read most of the one before, so
    no client that reads nothing has the server keep a whole answer."""
    body = memoryview(message["body"])
    last = (len(body) - 1) // PIECE_BYTES * PIECE_BYTES
    for start in range(0, last, PIECE_BYTES):
        await send({**message, "body": body[start : start + PIECE_BYTES], "more_body": True})
    await send({**message, "body": body[last:]})


def note_refusal(scope: Scope) -> None:
    """The caller was not admitted to the route. Metrics then do not name it: whoever goes through all routes would make
    a series of each, and every reading of the metrics longer."""
    scope[_REFUSED] = True


def _metered(scope: Scope, status: int) -> tuple[str, str]:
    """Method and route, of which there are as many as operations."""
    method = request_method(scope)
    route = "refused" if status == 405 or _REFUSED in scope else route_template(scope)
    return "GET" if method == "HEAD" else method, route


def request_method(scope: Scope) -> str:
    return str(scope["method"]) if scope["method"] in _METHODS else "other"


def route_template(scope: Scope) -> str:
    return str(getattr(scope.get("route"), "path", "unmatched"))
