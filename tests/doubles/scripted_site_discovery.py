"""A SiteDiscovery that finds the same at every address."""

from app.core.errors import InvalidInput
from app.sources import kinds
from app.sources.discovery import SiteIdentity, SiteOffer, SiteOffers, SiteProblem


class ScriptedSiteDiscovery:
    """Every website has 3 links and a sitemap of 40 pages, but for private ones, which are refused."""

    def __init__(self) -> None:
        self.identity = SiteIdentity()

    async def identity_of(self, url: str) -> SiteIdentity:
        return self.identity

    async def look(self, url: str) -> SiteOffers:
        if "127.0.0.1" in url:
            raise InvalidInput("url", "the address is private")
        offers = (
            SiteOffer(kinds.SITE, url, "Home", 3),
            SiteOffer(kinds.SITEMAP, f"{url}/sitemap.xml", "", 40, has_more=True),
        )
        return SiteOffers(url, "Home", offers, (SiteProblem(f"{url}/feed", "it lists no page"),), is_complete=True)
