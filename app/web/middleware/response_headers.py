"""Headers that every response has unless its route sets others."""

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.client_address import ClientAddresses

DEFAULTS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
# RFC 6797. Subdomains are up to the operator, in the proxy.
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
