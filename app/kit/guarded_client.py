"""HTTP to third-party services through the crawler's guard, which checks an address when it is configured and at every
connection."""

from collections.abc import Iterable
from typing import Self

from app.core.errors import InvalidInput
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.errors import UrlRefused
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.url_rules import CheckedUrl, check_url


class NoTls(UrlRefused):
    """The address is not https://, so others on the network could read the request."""


def checked_url(url: str, policy: AddressPolicy) -> CheckedUrl:
    """Raises UrlRefused, or its subclass NoTls for an address that is neither https:// nor allowed by `policy`."""
    checked = check_url(url.strip(), policy)
    is_allowed = checked.address is not None and policy.allows_literal(checked.address, checked.port)
    if checked.scheme != "https" and not is_allowed:
        raise NoTls("the address does not begin with https://")
    return checked


def canonical_url(url: str, policy: AddressPolicy, field: str, done: str) -> str:
    """The canonical URL. Raises InvalidInput for `field`; `done` completes its message, such as "read from"."""
    try:
        return str(checked_url(url, policy))
    except NoTls as error:
        raise InvalidInput(field, "Enter an address that begins with https://.") from error
    except UrlRefused as error:
        raise InvalidInput(field, f"Nothing can be {done} this address: {error.reason}.") from error


class GuardedClient:
    """Use as an async context manager. `allowed` endpoints (ip, port) may be private, and may be used without TLS."""

    def __init__(self, allowed: Iterable[Endpoint] = (), timeout_seconds: float = 10.0) -> None:
        self._policy = AddressPolicy(frozenset(allowed))
        self._wire = GuardedWire(GuardedTransport(self._policy))
        self._timeout_seconds = timeout_seconds

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.aclose()

    def _checked(self, url: str) -> CheckedUrl:
        return checked_url(url, self._policy)

    def _canonical(self, url: str, field: str, done: str) -> str:
        return canonical_url(url, self._policy, field, done)
