"""Calls HTTP APIs that operators configure, and reads their responses: the port and its adapter."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

import anyio

from app.kit.guarded_client import GuardedClient, NoTls, checked_url
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.errors import AddressRefused, ConnectTimedOut, CrawlError, UrlRefused


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A response. `body` is cut to the adapter's maximum."""

    status: int
    body: bytes


class CallFailed(Exception):
    """The server did not respond, or may not be called; `str(error)` is the reason, without the path. The request
    `may_have_arrived` unless it is certain that nothing was sent."""

    def __init__(self, reason: str, *, may_have_arrived: bool = True) -> None:
        super().__init__(reason)
        self.may_have_arrived = may_have_arrived


class HttpCaller(Protocol):
    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        """Send the request once, without following redirects. Takes seconds. Raises CallFailed."""
        ...


TIMEOUT_SECONDS: Final = 20.0
MAX_REPLY_BYTES: Final = 262_144


def call_refusal(allowed: Iterable[Endpoint], url: str) -> str:
    """Why `url` can never be called, judging by its text; "" if it may be. `allowed` endpoints may be private."""
    try:
        checked_url(url, AddressPolicy(frozenset(allowed)))
    except UrlRefused as error:
        return error.reason
    return ""


class CrawlerHttpCaller(GuardedClient):
    def __init__(self, allowed: Iterable[Endpoint] = (), max_reply_bytes: int = MAX_REPLY_BYTES) -> None:
        super().__init__(allowed, TIMEOUT_SECONDS)
        self._max_reply_bytes = max_reply_bytes

    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        try:
            checked = self._checked(url)
            with anyio.fail_after(self._timeout_seconds):
                sent = {"Accept-Encoding": "identity", **headers}
                status, reply = await self._wire.exchange(method, checked, sent, body, self._max_reply_bytes)
        except TimeoutError as error:
            raise CallFailed(f"no answer within {self._timeout_seconds:g} s") from error
        except NoTls as error:
            raise CallFailed(error.reason, may_have_arrived=False) from error
        except UrlRefused as error:
            raise CallFailed(f"nothing can be called there: {error.reason}", may_have_arrived=False) from error
        except (AddressRefused, ConnectTimedOut) as error:
            raise CallFailed(error.reason, may_have_arrived=False) from error
        except CrawlError as error:
            raise CallFailed(error.reason) from error
        return HttpReply(status, reply)
