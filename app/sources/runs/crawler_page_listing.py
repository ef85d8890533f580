"""PageListing by our own crawler package: the lists that a crawl begins with, and nothing after them."""

from collections.abc import Iterable
from typing import Final

import anyio

from app.core.errors import InvalidInput
from app.core.setting_values import USER_AGENT
from app.sources.awaited_websites import AwaitedWebsites
from app.sources.runs.crawler_site_reader import SEEDS
from app.sources.runs.page_scope import SourcePages
from app.sources.runs.site_reader import ListedPage, Listing
from app.sources.source import SourceAccess, SourceConfig
from crawler.address_policy import Endpoint
from crawler.discover.crawl_seeds import Seed, SeedKind, sitemap_pages
from crawler.discover.sitemap_reader import SitemapReader, SitemapReading
from crawler.errors import UrlRefused
from crawler.fetch.robots import Robots
from crawler.fetch.site_access import SiteAccess
from crawler.url_rules import CheckedUrl

MAX_SECONDS: Final = 20.0


class CrawlerPageListing(AwaitedWebsites):
    def __init__(
        self,
        allowed: Iterable[Endpoint] = (),
        *,
        user_agent: str = USER_AGENT,
        min_delay_seconds: float = 0.5,
        max_seconds: float = MAX_SECONDS,
    ) -> None:
        super().__init__(allowed, user_agent=user_agent, min_delay_seconds=min_delay_seconds)
        self._max_seconds = max_seconds

    async def of(self, source: SourceConfig, access: SourceAccess | None = None) -> Listing:
        if source.kind not in SEEDS:
            raise InvalidInput("source_id", f"A source of kind {source.kind.value!r} lists no pages.")
        pages = SourcePages(source, self.policy)
        url = pages.start
        seed = Seed(str(url), SEEDS[source.kind])
        reading, problems = SitemapReading(), []
        with self.slot(), anyio.move_on_after(self._max_seconds) as time_limit:
            reading = await self._read(seed, url, access)
        if time_limit.cancelled_caught:
            problems.append(f"The website did not list its pages within {self._max_seconds:g} seconds.")
        problems += [f"{file}: {reason}" for file, reason in reading.problems]
        listed = [ListedPage(entry.url, entry.last_modified) for entry in reading.entries]
        start = [] if seed.kind in (SeedKind.SITEMAP, SeedKind.FEED) else [ListedPage(str(url))]
        return Listing(_in_scope(pages, [*start, *listed]), problems)

    async def _read(self, seed: Seed, url: CheckedUrl, access: SourceAccess | None) -> SitemapReading:
        fetcher = self.fetcher.with_access(SiteAccess(url, access.headers)) if access else self.fetcher
        robots = Robots(fetcher)  # of this moment: robots.txt may have changed since the last time
        return await sitemap_pages(seed, url, robots, SitemapReader(fetcher, robots.refusal))


def _in_scope(source: SourcePages, pages: Iterable[ListedPage]) -> list[ListedPage]:
    found: dict[str, ListedPage] = {}
    for page in pages:
        try:
            spelt = source.canonical(page.url)
        except UrlRefused:
            continue
        if spelt is not None and (spelt not in found or found[spelt].last_modified is None):
            found[spelt] = ListedPage(spelt, page.last_modified)
    return list(found.values())
