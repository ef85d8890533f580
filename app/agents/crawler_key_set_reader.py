"""Keys of identity providers through the crawler's guard: an address is checked when it is given and each time it is
dialled."""

from collections.abc import Iterable
from types import TracebackType
from typing import Final, Self

import anyio

from app.core.errors import InvalidInput, Unavailable
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.errors import CrawlError, UrlRefused
from crawler.fetch.body_reader import ACCEPT_ENCODING, read_body
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.url_rules import check_url

TIMEOUT_SECONDS: Final = 10.0
MAX_BYTES: Final = 256 * 1024


class CrawlerKeySetReader:
    """Use as an async context manager. `allowed` endpoints (ip, port) may be read although they are private, and
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
            raise InvalidInput("jwks_url", f"Nothing can be read from this address: {error.reason}.") from error
        is_allowed = checked.address is not None and self._policy.allows_literal(checked.address, checked.port)
        if checked.scheme != "https" and not is_allowed:
            raise InvalidInput("jwks_url", "Give an address that begins with https://.")
        return str(checked)

    async def read(self, url: str) -> bytes:
        headers = {"Accept": "application/json", "Accept-Encoding": ACCEPT_ENCODING}
        try:
            with anyio.fail_after(self._timeout_seconds):
                async with self._wire.get(check_url(self.canonical(url), self._policy), headers) as answer:
                    if answer.status != 200:
                        raise Unavailable(f"The issuer's keys cannot be read: status {answer.status}.")
                    return await read_body(answer.chunks, answer.headers.get("content-encoding", ""), MAX_BYTES)
        except TimeoutError:
            raise Unavailable(f"The issuer's keys cannot be read: no answer in {self._timeout_seconds:g} s.") from None
        except InvalidInput as error:
            raise Unavailable(f"The issuer's keys cannot be read. {error}") from error
        except CrawlError as error:
            raise Unavailable(f"The issuer's keys cannot be read: {error.reason}.") from error
