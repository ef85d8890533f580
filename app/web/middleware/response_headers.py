"""Default headers of all responses, and CORS headers that let only listed websites read the visitor API and an agent's
MCP server."""

import re
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.client_address import ClientAddresses
from app.web.middleware.public_url import path_below
from app.web.origins import verdict_of

DEFAULTS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
# RFC 6797. Operators can include subdomains in their proxy.
OVER_TLS: Final = ("Strict-Transport-Security", "max-age=31536000")


class SecurityHeaders:
    def __init__(self, app: ASGIApp, addresses: ClientAddresses) -> None:
        self._app = app
        self._addresses = addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        is_over_tls = self._addresses.came_over_tls(Request(scope))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in DEFAULTS.items():
                    headers.setdefault(name, value)
                if is_over_tls:
                    headers.setdefault(*OVER_TLS)
            await send(message)

        await self._app(scope, receive, send_with_headers)


ALLOWED_METHODS = "GET, POST, DELETE"
_OF_MCP: Final = "Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id"
ALLOWED_HEADERS = f"Authorization, Content-Type, Last-Event-ID, {_OF_MCP}"
EXPOSED_HEADERS = "Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-ID"
PREFLIGHT_SECONDS = 600
_FOR_LISTED: Final = re.compile(r"/v1/widget/|/mcp(/|$)")
# MCP clients discover the OAuth endpoints and get tokens here. Any website may: tokens require a code.
_FOR_ANY: Final = re.compile(r"/\.well-known/oauth-|/oauth/")


class Cors:
    """Preflights succeed from any website. The request that follows is checked against the agent's list, and only then
    may the page read the response. Credentials are never allowed, because the API uses no cookies."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_for_any = scope["type"] == "http" and _FOR_ANY.match(path_below(scope)) is not None
        if scope["type"] != "http" or not (is_for_any or _FOR_LISTED.match(path_below(scope))):
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
                if verdict.origin is not None and (is_for_any or verdict.may_read(message["status"])):
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
