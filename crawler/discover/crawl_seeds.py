"""The start of a crawl: a whole site, one page, a sitemap or a feed."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from crawler.discover.feed import parse_feed
from crawler.discover.sitemap import SitemapReader, SitemapReading
from crawler.url_rules import CheckedUrl

if TYPE_CHECKING:
    from crawler.fetch.robots import Robots

USUAL_SITEMAP_PATHS = ("/sitemap.xml", "/sitemap_index.xml")
USUAL_LLMS_PATH = "/llms.txt"


class SeedKind(StrEnum):
    """What a start URL is."""

    SITE = "site"  # the page, the site's sitemaps, and links from there
    PAGE = "page"  # this page alone; no link is followed
    SITEMAP = "sitemap"  # the pages it lists, as an llms.txt does; no link is followed
    FEED = "feed"  # the pages of its entries (RSS, Atom); no link is followed


@dataclass(frozen=True, slots=True)
class Seed:
    """The start of a crawl. `url` is absolute."""

    url: str
    kind: SeedKind = SeedKind.SITE

    @property
    def follows_links(self) -> bool:
        return self.kind is SeedKind.SITE

    @property
    def is_list(self) -> bool:
        """Whether the seed is not a page but a list of pages."""
        return self.kind in (SeedKind.SITEMAP, SeedKind.FEED)


async def sitemap_pages(seed: Seed, url: CheckedUrl, robots: "Robots", reader: SitemapReader) -> SitemapReading:
    """The pages that a seed's sitemaps (or the seed itself, if it is a list) contain. The usual addresses are tried if
    a site's robots.txt names no sitemap."""
    match seed.kind:
        case SeedKind.PAGE:
            return SitemapReading()
        case SeedKind.SITEMAP:
            return await reader.read([str(url)])
        case SeedKind.FEED:
            return await reader.read([str(url)], parse_feed)
        case SeedKind.SITE:
            named = (await robots.site(url)).sitemaps
            if named:
                return await reader.read(_absolute(url, name) for name in named)
            found = await reader.read([f"{url.origin}{path}" for path in USUAL_SITEMAP_PATHS])
            return SitemapReading(found.entries)  # a missing sitemap at a usual address is not reported


def _absolute(url: CheckedUrl, name: str) -> str:
    try:
        return urljoin(f"{url.origin}/", name)
    except ValueError:
        return name  # reported as a file that cannot be read
