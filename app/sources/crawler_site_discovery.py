"""SiteDiscovery by our own crawler package, through its guarded fetcher."""

from functools import cached_property
from typing import TYPE_CHECKING, Final

from app.core.errors import InvalidInput
from app.sources.awaited_websites import AwaitedWebsites
from app.sources.discovery import SiteOffer, SiteOffers
from app.sources.source import SourceKind
from crawler.discover.crawl_seeds import SeedKind
from crawler.errors import UrlRefused
from crawler.fetch.robots import Robots

if TYPE_CHECKING:
    from crawler.discover.site_discovery import Discovery, SiteDiscovery

_KINDS: Final = {
    SeedKind.SITE: SourceKind.SITE,
    SeedKind.SITEMAP: SourceKind.SITEMAP,
    SeedKind.FEED: SourceKind.FEED,
}


class CrawlerSiteDiscovery(AwaitedWebsites):
    @cached_property
    def _discovery(self) -> "SiteDiscovery":
        from crawler.discover.site_discovery import SiteDiscovery  # operators look seldom: not read at the start

        return SiteDiscovery(self.fetcher, Robots(self.fetcher))

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


def _offers(found: "Discovery") -> SiteOffers:
    offers = tuple(
        SiteOffer(_KINDS[offer.kind], offer.url, offer.title, offer.pages, offer.has_more) for offer in found.offers
    )
    return SiteOffers(found.url, found.title, offers, tuple(found.problems), found.is_complete)
