"""SiteDiscovery by our own crawler package, through its guarded fetcher."""

from collections.abc import Iterable
from typing import Final

from app.core.errors import InvalidInput
from app.core.setting_values import USER_AGENT
from app.sources.awaited_websites import AwaitedWebsites
from app.sources.discovery import SiteOffer, SiteOffers
from app.sources.source import SourceKind
from crawler.address_policy import Endpoint
from crawler.discover.crawl_seeds import SeedKind
from crawler.discover.site_discovery import Discovery, DiscoveryLimits, SiteDiscovery
from crawler.errors import UrlRefused
from crawler.fetch.robots import Robots

_KINDS: Final = {
    SeedKind.SITE: SourceKind.SITE,
    SeedKind.SITEMAP: SourceKind.SITEMAP,
    SeedKind.FEED: SourceKind.FEED,
}


class CrawlerSiteDiscovery(AwaitedWebsites):
    def __init__(
        self,
        allowed: Iterable[Endpoint] = (),
        *,
        user_agent: str = USER_AGENT,
        min_delay_seconds: float = 0.5,
        limits: DiscoveryLimits | None = None,
    ) -> None:
        super().__init__(allowed, user_agent=user_agent, min_delay_seconds=min_delay_seconds)
        self._discovery = SiteDiscovery(self.fetcher, Robots(self.fetcher), limits)

    async def look(self, url: str) -> SiteOffers:
        try:
            with self.slot():
                return _offers(await self._discovery.look(url))
        except UrlRefused as error:
            raise InvalidInput("url", error.reason) from error

    async def name_of(self, url: str) -> str:
        """What the website calls itself; "" where nothing says so."""
        try:
            return await self._discovery.name_of(url)
        except UrlRefused:
            return ""


def _offers(found: Discovery) -> SiteOffers:
    offers = tuple(
        SiteOffer(_KINDS[offer.kind], offer.url, offer.title, offer.pages, offer.has_more) for offer in found.offers
    )
    return SiteOffers(found.url, found.title, offers, tuple(found.problems), found.is_complete)
