"""Reads identity providers' keys through the crawler's guard."""

from collections.abc import Iterable
from typing import Final

import anyio

from app.core.errors import Unavailable
from app.kit.guarded_client import GuardedClient
from crawler.address_policy import Endpoint
from crawler.errors import CrawlError
from crawler.fetch.body_reader import ACCEPT_ENCODING, read_body

TIMEOUT_SECONDS: Final = 10.0
MAX_BYTES: Final = 256 * 1024


class CrawlerKeySetReader(GuardedClient):
    def __init__(self, allowed: Iterable[Endpoint] = (), timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        super().__init__(allowed, timeout_seconds)

    def canonical(self, url: str) -> str:
        return self._canonical(url, "jwks_url", "read from")

    async def read(self, url: str) -> bytes:
        headers = {"Accept": "application/json", "Accept-Encoding": ACCEPT_ENCODING}
        try:
            with anyio.fail_after(self._timeout_seconds):
                async with self._wire.send("GET", self._checked(url), headers) as answer:
                    if answer.status != 200:
                        raise Unavailable(f"The issuer's keys cannot be read: status {answer.status}.")
                    return await read_body(answer.chunks, answer.headers.get("content-encoding", ""), MAX_BYTES)
        except TimeoutError:
            raise Unavailable(f"The issuer's keys cannot be read: no answer in {self._timeout_seconds:g} s.") from None
        except CrawlError as error:
            raise Unavailable(f"The issuer's keys cannot be read: {error.reason}.") from error
