from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack

import pytest

from crawler.address_policy import AddressPolicy
from crawler.fetch.fetch_result import FetchLimits
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing
from tests.doubles.fake_network import USER_AGENT, FakeClock
from tests.doubles.loopback_site import LoopbackSite, running_site

MakeFetcher = Callable[..., Fetcher]


@pytest.fixture
def site() -> Iterator[LoopbackSite]:
    """An empty web server on loopback."""
    with running_site() as site:
        yield site


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def make_fetcher(site: LoopbackSite, clock: FakeClock) -> AsyncIterator[MakeFetcher]:
    """Fetchers that may reach the loopback site and wait in fake time."""
    async with AsyncExitStack() as stack:

        def make(
            limits: FetchLimits | None = None, read_timeout_seconds: float = 5.0, policy: AddressPolicy | None = None
        ) -> Fetcher:
            policy = policy or site.policy
            wire = GuardedWire(GuardedTransport(policy), read_timeout_seconds=read_timeout_seconds)
            stack.push_async_callback(wire.aclose)
            pacing = HostPacing(0.0, clock=clock, sleep=clock.sleep)
            return Fetcher(wire, USER_AGENT, pacing, policy, limits, jitter=lambda: 0.0)

        yield make


@pytest.fixture
def fetcher(make_fetcher: MakeFetcher) -> Fetcher:
    return make_fetcher()
