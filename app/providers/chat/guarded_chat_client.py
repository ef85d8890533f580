"""The HTTP client for chat models at addresses that operators of a workspace have entered, with the crawler's guard."""

from collections.abc import Iterable, Sequence

import httpcore
from openai import DefaultAsyncHttpxClient

from app.providers.httptools_transport import HttptoolsTransport
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.errors import CrawlError
from crawler.fetch.guarded_dialler import GuardedDialler


def guarded_client(allowed: Iterable[Endpoint]) -> DefaultAsyncHttpxClient:
    """`allowed` endpoints (ip, port) may be private. Follows no redirects, and uses no proxy."""
    dialler = GuardedDialler(AddressPolicy(frozenset(allowed)))

    async def addresses(host: str, port: int) -> Sequence[str]:
        try:
            return [str(each) for each in await dialler.checked_addresses(host, port)]
        except (CrawlError, httpcore.ConnectError) as error:
            raise OSError(str(error)) from error

    return DefaultAsyncHttpxClient(transport=HttptoolsTransport(addresses), follow_redirects=False, trust_env=False)
