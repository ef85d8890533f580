"""Reads websites while somebody waits for the result: what they offer as sources, and the pages that they list."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final, Self

import anyio

from app.core.errors import InvalidInput, Overloaded
from app.core.setting_values import USER_AGENT
from app.sources.discovery import SiteIdentity, SiteOffer, SiteOffers, SiteProblem
from app.sources.kinds import KINDS
from app.sources.kinds.website import WebsiteKind
from app.sources.runs.page_scope import SourcePages
from app.sources.runs.site_reader import ListedPage, Listing
from app.sources.source import SourceAccess, SourceConfig
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.discover.crawl_seeds import Seed, sitemap_pages
from crawler.discover.sitemap import SitemapReader, SitemapReading
from crawler.errors import UrlRefused
from crawler.fetch.fetch_result import FetchLimits, SiteAccess
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing
from crawler.fetch.robots import Robots
from crawler.url_rules import CheckedUrl

if TYPE_CHECKING:
    from crawler.discover.site_discovery import Discovery, SiteDiscovery

_LIMITS: Final = FetchLimits(total_timeout_seconds=10, attempts=1)  # a website that is slow or down is not retried
_AT_ONCE: Final = 4
_KINDS: Final = {kind.seed: kind for kind in KINDS if isinstance(kind, WebsiteKind)}
_LISTING_SECONDS: Final = 20.0


class AwaitedWebsites:
    """Use as an async context manager. `allowed` endpoints (ip, port) may be private."""

    def __init__(
        self, allowed: Iterable[Endpoint] = (), *, user_agent: str = USER_AGENT, min_delay_seconds: float = 0.5
    ) -> None:
        self.policy = AddressPolicy(frozenset(allowed))
        self._wire = GuardedWire(GuardedTransport(self.policy))
        self.fetcher = Fetcher(self._wire, user_agent, HostPacing(min_delay_seconds), self.policy, _LIMITS)
        self._slots = anyio.Semaphore(_AT_ONCE)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a slot for reading one website. Raises Overloaded if too many are being read."""
        try:
            self._slots.acquire_nowait()
        except anyio.WouldBlock:
            raise Overloaded("Docent is checking other websites. Try again in a moment.") from None
        try:
            yield
        finally:
            self._slots.release()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.aclose()


class CrawlerSiteDiscovery(AwaitedWebsites):
    """Implements SiteDiscovery with our crawler package."""

    @cached_property
    def _discovery(self) -> "SiteDiscovery":
        from crawler.discover.site_discovery import SiteDiscovery  # operators use it rarely: not imported at the start

        return SiteDiscovery(self.fetcher, Robots(self.fetcher))

    async def look(self, url: str) -> SiteOffers:
        try:
            with self.slot():
                return _offers(await self._discovery.look(url))
        except UrlRefused as error:
            raise InvalidInput("url", error.reason) from error

    async def identity_of(self, url: str) -> SiteIdentity:
        try:
            found = await self._discovery.identity_of(url)
        except UrlRefused:
            return SiteIdentity()
        return SiteIdentity(found.name, found.color, found.icon, found.language)


def _offers(found: "Discovery") -> SiteOffers:
    offers = tuple(
        SiteOffer(_KINDS[offer.kind], offer.url, offer.title, offer.pages, offer.has_more) for offer in found.offers
    )
    problems = tuple(SiteProblem(url, reason) for url, reason in found.problems)
    return SiteOffers(found.url, found.title, offers, problems, found.is_complete)


class CrawlerPageListing(AwaitedWebsites):
    """Implements PageListing: reads the lists with which a crawl begins, and nothing else."""

    async def look(self, source: SourceConfig, access: SourceAccess | None = None) -> Listing:
        if not isinstance(source.kind, WebsiteKind):
            raise InvalidInput("source_id", f'A source of kind "{source.kind.value}" has no list of pages.')
        pages = SourcePages(source, self.policy)
        url = pages.start
        seed = Seed(str(url), source.kind.seed)
        reading, problems = SitemapReading(), []
        with self.slot(), anyio.move_on_after(_LISTING_SECONDS) as time_limit:
            reading = await self._read(seed, url, access)
        if time_limit.cancelled_caught:
            problems.append(f"The website did not send its list of pages within {_LISTING_SECONDS:g} seconds.")
        problems += [f"{file}: {reason}" for file, reason in reading.problems]
        listed = [ListedPage(entry.url, entry.last_modified) for entry in reading.entries]
        start = [] if seed.is_list else [ListedPage(str(url))]
        return Listing(_in_scope(pages, [*start, *listed]), problems)

    async def _read(self, seed: Seed, url: CheckedUrl, access: SourceAccess | None) -> SitemapReading:
        fetcher = self.fetcher.with_access(SiteAccess(url, access.headers)) if access else self.fetcher
        robots = Robots(fetcher)  # fetched now: robots.txt may have changed since the last time
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
