"""Webhooks through the crawler's guard: the address is checked when it is given and each time it is dialled."""

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Final, Self

import anyio

from app.core.errors import InvalidInput
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.errors import CrawlError, UrlRefused
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.url_rules import check_url

TIMEOUT_SECONDS: Final = 10.0


class CrawlerWebhookSender:
    """Use as an async context manager. `allowed` endpoints (ip, port) may be posted to although they are private, and
    without TLS."""

    def __init__(self, allowed: Iterable[Endpoint] = (), timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._policy = AddressPolicy(frozenset(allowed))
        self._wire = GuardedWire(GuardedTransport(self._policy))
        self._timeout_seconds = timeout_seconds

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._wire.aclose()

    def canonical(self, url: str) -> str:
        try:
            checked = check_url(url.strip(), self._policy)
        except UrlRefused as error:
            raise InvalidInput("url", f"Nothing can be posted to this address: {error.reason}.") from error
        is_allowed = checked.address is not None and self._policy.allows_literal(checked.address, checked.port)
        if checked.scheme != "https" and not is_allowed:
            raise InvalidInput("url", "Give an address that begins with https://.")
        return str(checked)

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> str | None:
        try:
            with anyio.fail_after(self._timeout_seconds):
                status = await self._wire.post(check_url(self.canonical(url), self._policy), headers, body)
        except TimeoutError:
            return f"no answer within {self._timeout_seconds:g} s"
        except InvalidInput as error:
            return str(error)
        except CrawlError as error:
            return error.reason
        return None if 200 <= status < 300 else f"the receiver answered {status}"
