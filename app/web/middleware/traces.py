"""A span for each request, as a child of the caller's if there is a W3C `traceparent`. Follows OpenTelemetry's
conventions for HTTP, except that the path is replaced by its route: a path may contain a secret, and a query the search
terms."""

from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.kit.tracing import span
from app.web.middleware.request_log import request_method, route_template

_LEFT_OUT: Final = frozenset({"/healthz", "/readyz", "/metrics"})  # requested every few seconds, by machines


class TracedRequests:
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
