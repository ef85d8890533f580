"""A complete fetcher: guarded transport, pacing and limits, opened and closed together."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from crawler.address_policy import AddressPolicy
from crawler.fetch.fetch_result import FetchLimits
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_dialler import Resolver, system_resolver
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing


@asynccontextmanager
async def polite_fetcher(
    user_agent: str,
    policy: AddressPolicy | None = None,
    limits: FetchLimits | None = None,
    pacing: HostPacing | None = None,
    resolver: Resolver = system_resolver,
    connect_timeout_seconds: float = 10.0,
    read_timeout_seconds: float = 15.0,
) -> AsyncIterator[Fetcher]:
    """Open a fetcher for the duration of the block. `user_agent` starts with the product token: "DocentBot/1.0 (+url)".

    One is enough for a process: connections are shared, and hosts are paced across all crawls.
    """
    policy = policy or AddressPolicy()
    wire = GuardedWire(GuardedTransport(policy, resolver), connect_timeout_seconds, read_timeout_seconds)
    try:
        yield Fetcher(wire, user_agent, pacing, policy, limits)
    finally:
        await wire.aclose()
