"""PageListing by our own crawler package: the lists that a crawl begins with, and nothing after them."""

from collections.abc import Iterable
from types import TracebackType
from typing import Final, Self

import anyio

from app.core.errors import InvalidInput, Overloaded
from app.core.setting_values import USER_AGENT
from app.sources.runs.crawler_site_reader import SEEDS
from app.sources.runs.page_listing import ListedPage, Listing
from app.sources.runs.page_scope import SourcePages
from app.sources.source import SourceConfig
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.discover.crawl_seeds import Seed, SeedKind, sitemap_pages
from crawler.discover.sitemap_reader import SitemapReader, SitemapReading
from crawler.errors import UrlRefused
from crawler.fetch.fetch_result import FetchLimits
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing
from crawler.fetch.robots import Robots
from crawler.url_rules import CheckedUrl

# Somebody waits for the answer: a site that is slow or away is not asked again.
MAX_SECONDS: Final = 20.0
_LIMITS: Final = FetchLimits(total_timeout_seconds=10, attempts=1)
_AT_ONCE: Final = 4


class CrawlerPageListing:
    """Use as an async context manager. `allowed` endpoints (ip, port) may be asked although they are private."""

    def __init__(
        self,
        allowed: Iterable[Endpoint] = (),
        *,
        user_agent: str = USER_AGENT,
        min_delay_seconds: float = 0.5,
        max_seconds: float = MAX_SECONDS,
    ) -> None:
        self._policy = AddressPolicy(frozenset(allowed))
        self._wire = GuardedWire(GuardedTransport(self._policy))
        self._fetcher = Fetcher(self._wire, user_agent, HostPacing(min_delay_seconds), self._policy, _LIMITS)
        self._max_seconds = max_seconds
        self._places = anyio.Semaphore(_AT_ONCE)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._wire.aclose()

    async def of(self, source: SourceConfig) -> Listing:
        if source.kind not in SEEDS:
            raise InvalidInput("source_id", f"A source of kind {source.kind.value!r} lists no pages.")
        pages = SourcePages(source, self._policy)
        url = pages.start
        seed = Seed(str(url), SEEDS[source.kind])
        reading, problems = SitemapReading(), []
        try:
            self._places.acquire_nowait()
        except anyio.WouldBlock:
            raise Overloaded("Other websites are being asked. Try again in a moment.") from None
        try:
            with anyio.move_on_after(self._max_seconds) as time_limit:
                reading = await self._read(seed, url)
        finally:
            self._places.release()
        if time_limit.cancelled_caught:
            problems.append(f"The website did not list its pages within {self._max_seconds:g} seconds.")
        problems += [f"{file}: {reason}" for file, reason in reading.problems]
        listed = [ListedPage(entry.url, entry.last_modified) for entry in reading.entries]
        start = [] if seed.kind in (SeedKind.SITEMAP, SeedKind.FEED) else [ListedPage(str(url))]
        return Listing(_in_scope(pages, [*start, *listed]), problems)

    async def _read(self, seed: Seed, url: CheckedUrl) -> SitemapReading:
        robots = Robots(self._fetcher)  # of this moment: robots.txt may have changed since the last time
        return await sitemap_pages(seed, url, robots, SitemapReader(self._fetcher, robots.refusal))


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
