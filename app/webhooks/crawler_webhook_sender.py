"""Webhooks through the crawler's guard."""

from collections.abc import Iterable, Mapping
from typing import Final

import anyio

from app.core.errors import InvalidInput
from app.kit.guarded_client import GuardedClient, NoTls
from crawler.address_policy import Endpoint
from crawler.errors import CrawlError, UrlRefused

TIMEOUT_SECONDS: Final = 10.0


class CrawlerWebhookSender(GuardedClient):
    def __init__(self, allowed: Iterable[Endpoint] = (), timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        super().__init__(allowed, timeout_seconds)

    def canonical(self, url: str) -> str:
        try:
            return str(self._checked(url))
        except NoTls as error:
            raise InvalidInput("url", "Give an address that begins with https://.") from error
        except UrlRefused as error:
            raise InvalidInput("url", f"Nothing can be posted to this address: {error.reason}.") from error

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> str | None:
        try:
            with anyio.fail_after(self._timeout_seconds):
                status = await self._wire.post(self._checked(url), headers, body)
        except TimeoutError:
            return f"no answer within {self._timeout_seconds:g} s"
        except CrawlError as error:
            return error.reason
        return None if 200 <= status < 300 else f"the receiver answered {status}"
