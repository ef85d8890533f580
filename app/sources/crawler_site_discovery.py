"""SiteDiscovery by our own crawler package, through its guarded fetcher."""

from collections.abc import Iterable
from types import TracebackType
from typing import Final, Self

import anyio

from app.core.errors import InvalidInput, Overloaded
from app.core.setting_values import USER_AGENT
from app.sources.discovery import SiteOffer, SiteOffers
from app.sources.source import SourceKind
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.discover.crawl_seeds import SeedKind
from crawler.discover.site_discovery import Discovery, DiscoveryLimits, SiteDiscovery
from crawler.errors import UrlRefused
from crawler.fetch.fetch_result import FetchLimits
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing
from crawler.fetch.robots import Robots

_KINDS: Final = {
    SeedKind.SITE: SourceKind.SITE,
    SeedKind.SITEMAP: SourceKind.SITEMAP,
    SeedKind.FEED: SourceKind.FEED,
}
# Somebody waits for the answer: a site that is slow or away is not asked again.
_LIMITS: Final = FetchLimits(total_timeout_seconds=10, attempts=1)
_AT_ONCE: Final = 4


class CrawlerSiteDiscovery:
    """Use as an async context manager. `allowed` endpoints (ip, port) may be dialled although they are private."""

    def __init__(
        self,
        allowed: Iterable[Endpoint] = (),
        *,
        user_agent: str = USER_AGENT,
        min_delay_seconds: float = 0.5,
        limits: DiscoveryLimits | None = None,
    ) -> None:
        policy = AddressPolicy(frozenset(allowed))
        self._wire = GuardedWire(GuardedTransport(policy))
        fetcher = Fetcher(self._wire, user_agent, HostPacing(min_delay_seconds), policy, _LIMITS)
        self._discovery = SiteDiscovery(fetcher, Robots(fetcher), limits)
        self._places = anyio.Semaphore(_AT_ONCE)

    async def look(self, url: str) -> SiteOffers:
        try:
            self._places.acquire_nowait()
        except anyio.WouldBlock:
            raise Overloaded("Other websites are being looked at. Try again in a moment.") from None
        try:
            return _offers(await self._discovery.look(url))
        except UrlRefused as error:
            raise InvalidInput("url", error.reason) from error
        finally:
            self._places.release()

    async def name_of(self, url: str) -> str:
        """What the website calls itself; "" where nothing says so."""
        try:
            return await self._discovery.name_of(url)
        except UrlRefused:
            return ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._wire.aclose()


def _offers(found: Discovery) -> SiteOffers:
    offers = tuple(
        SiteOffer(_KINDS[offer.kind], offer.url, offer.title, offer.pages, offer.has_more) for offer in found.offers
    )
    return SiteOffers(found.url, found.title, offers, tuple(found.problems), found.is_complete)
