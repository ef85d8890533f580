"""What /metrics returns, and who may read it."""

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable
from typing import Final, NewType

from prometheus_client import CollectorRegistry, generate_latest
from starlette.requests import Request

from app.core.errors import Unauthorized
from app.web.access import bearer_token

Exposition = Callable[[], Awaitable[bytes]]
"""Renders the metrics in the text format of Prometheus."""
MetricsToken = NewType("MetricsToken", str)
"""What a reader of the metrics has to send; "" admits nobody."""

KEPT_SECONDS: Final = 2.0  # less than any scraper waits between two reads


def exposition_of(registry: CollectorRegistry) -> Exposition:
    """The metrics of a single process."""

    async def text() -> bytes:
        return await asyncio.to_thread(generate_latest, registry)

    return text


class MetricsText:
    """Rendered for one reader at a time, and kept for the next: any number of them costs no more."""

    def __init__(self, exposition: Exposition, token: MetricsToken, now: Callable[[], float] = time.monotonic) -> None:
        self._exposition = exposition
        self._token = token.encode()
        self._now = now
        self._rendering = asyncio.Lock()
        self._text = b""
        self._rendered_at = float("-inf")

    async def read(self, request: Request) -> bytes:
        """Raises Unauthorized."""
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
