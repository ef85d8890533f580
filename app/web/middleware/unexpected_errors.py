"""Unexpected errors: logged in full, answered with one sentence."""

import structlog
from sse_starlette.sse import SendTimeoutError
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.errors import INTERNAL

_log = structlog.get_logger("docent.web")


class UnexpectedErrors:
    """Inside the layers that add headers, so that a 500 has them as well."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_started = False

        async def watched_send(message: Message) -> None:
            nonlocal has_started
            has_started = has_started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched_send)
        except (ClientDisconnect, SendTimeoutError):
            return  # the client has left; the server closes the connection
        except Exception:
            if has_started:
                raise
            _log.exception("request.failed")
            await INTERNAL.response()(scope, receive, send)
