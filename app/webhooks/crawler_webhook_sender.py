"""Webhooks through the crawler's guard."""

from collections.abc import Iterable, Mapping
from typing import Final

import anyio

from app.kit.guarded_client import GuardedClient
from crawler.address_policy import Endpoint
from crawler.errors import CrawlError

TIMEOUT_SECONDS: Final = 10.0


class CrawlerWebhookSender(GuardedClient):
    def __init__(self, allowed: Iterable[Endpoint] = (), timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        super().__init__(allowed, timeout_seconds)

    def canonical(self, url: str) -> str:
        return self._canonical(url, "url", "posted to")

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> str | None:
        try:
            with anyio.fail_after(self._timeout_seconds):
                status = await self._wire.post(self._checked(url), headers, body)
        except TimeoutError:
            return f"no answer within {self._timeout_seconds:g} s"
        except CrawlError as error:
            return error.reason
        return None if 200 <= status < 300 else f"the receiver answered {status}"
