"""Lets listed websites read the visitor API, and no others."""

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.middleware.public_url import path_below
from app.web.origins import verdict_of

ALLOWED_METHODS = "GET, POST, DELETE"
ALLOWED_HEADERS = "Authorization, Content-Type, Last-Event-ID"
EXPOSED_HEADERS = "RateLimit, RateLimit-Policy, Retry-After, X-Request-ID"
PREFLIGHT_SECONDS = 600


class WidgetCors:
    """A preflight names no agent, so it gets what the API accepts from any website. The request that follows is checked
    against the agent's list, and only then may the page read the response. Credentials are never allowed, because the
    API uses no cookies."""

    def __init__(self, app: ASGIApp, *, prefix: str = "/v1/widget/") -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not path_below(scope).startswith(self._prefix):
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        verdict = verdict_of(request)
        if scope["method"] == "OPTIONS" and "access-control-request-method" in request.headers:
            await _preflight(verdict.origin)(scope, receive, send)
            return

        async def send_with_cors(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.add_vary_header("Origin")
                if verdict.origin is not None and verdict.may_read(message["status"]):
                    headers["Access-Control-Allow-Origin"] = verdict.origin
                    headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
            await send(message)

        await self._app(scope, receive, send_with_cors)


def _preflight(origin: str | None) -> Response:
    headers = {"Vary": "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"}
    if origin is not None:
        headers |= {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Methods": ALLOWED_METHODS,
            "Access-Control-Allow-Headers": ALLOWED_HEADERS,
            "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
        }
    return Response(status_code=204, headers=headers)
