"""Calls through the crawler's guard: over TLS, and never to a private address."""

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Final, Self

import anyio

from app.providers.http_caller import CallFailed, HttpReply
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.errors import CrawlError, UrlRefused
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.url_rules import check_url

TIMEOUT_SECONDS: Final = 20.0
MAX_REPLY_BYTES: Final = 262_144


class CrawlerHttpCaller:
    """Use as an async context manager. `allowed` endpoints (ip, port) may be called although they are private, and
    without TLS."""

    def __init__(
        self,
        allowed: Iterable[Endpoint] = (),
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_reply_bytes: int = MAX_REPLY_BYTES,
    ) -> None:
        self._policy = AddressPolicy(frozenset(allowed))
        self._wire = GuardedWire(GuardedTransport(self._policy))
        self._timeout_seconds = timeout_seconds
        self._max_reply_bytes = max_reply_bytes

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._wire.aclose()

    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        try:
            checked = check_url(url, self._policy)
            is_allowed = checked.address is not None and self._policy.allows_literal(checked.address, checked.port)
            if checked.scheme != "https" and not is_allowed:
                raise CallFailed("the address does not begin with https://")
            with anyio.fail_after(self._timeout_seconds):
                sent = {"Accept-Encoding": "identity", **headers}
                status, said = await self._wire.exchange(method, checked, sent, body, self._max_reply_bytes)
        except TimeoutError as error:
            raise CallFailed(f"no answer within {self._timeout_seconds:g} s") from error
        except UrlRefused as error:
            raise CallFailed(f"nothing can be called there: {error.reason}") from error
        except CrawlError as error:
            raise CallFailed(error.reason) from error
        return HttpReply(status, said)
