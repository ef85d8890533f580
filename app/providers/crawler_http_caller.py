"""Calls through the crawler's guard: over TLS, and never to a private address."""

from collections.abc import Iterable, Mapping
from typing import Final

import anyio

from app.kit.guarded_client import GuardedClient, NoTls, checked_url
from app.providers.http_caller import CallFailed, HttpReply
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.errors import AddressRefused, ConnectTimedOut, CrawlError, UrlRefused

TIMEOUT_SECONDS: Final = 20.0
MAX_REPLY_BYTES: Final = 262_144


def call_refusal(allowed: Iterable[Endpoint], url: str) -> str:
    """Why nothing can ever be called at the URL, by its text; "" if something can. `allowed` endpoints may be
    private."""
    try:
        checked_url(url, AddressPolicy(frozenset(allowed)))
    except UrlRefused as error:
        return error.reason
    return ""


class CrawlerHttpCaller(GuardedClient):
    def __init__(
        self,
        allowed: Iterable[Endpoint] = (),
        max_reply_bytes: int = MAX_REPLY_BYTES,
    ) -> None:
        super().__init__(allowed, TIMEOUT_SECONDS)
        self._max_reply_bytes = max_reply_bytes

    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpReply:
        try:
            checked = self._checked(url)
            with anyio.fail_after(self._timeout_seconds):
                sent = {"Accept-Encoding": "identity", **headers}
                status, said = await self._wire.exchange(method, checked, sent, body, self._max_reply_bytes)
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
        return HttpReply(status, said)
