"""Discovers what a website offers to crawl: its sitemaps, its feeds and the links of its start page."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin

import anyio
from anyio import to_thread

from crawler.decoding import decode_html
from crawler.discover.crawl_seeds import USUAL_LLMS_PATH, USUAL_SITEMAP_PATHS, SeedKind
from crawler.discover.feed import parse_feed
from crawler.discover.scope import Scope
from crawler.discover.sitemap import Parse, SitemapLimits, SitemapReader, parse_sitemap
from crawler.errors import ExtractionFailed, UrlRefused
from crawler.extract.html_tree import parse_html
from crawler.extract.links import read_links
from crawler.extract.metadata.page_metadata import (
    declared_language,
    page_title,
    site_color,
    site_icon,
    site_name,
)
from crawler.fetch.fetch_result import HTML, NotFetched, WantedBody
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.robots import Robots
from crawler.url_rules import check_url, normalise_url

_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})
_ICON_TYPES = frozenset({"image/png", "image/jpeg", "image/webp"})
_MAX_TITLE_CHARS = 200


@dataclass(frozen=True, slots=True)
class DiscoveryLimits:
    """Limits of a discovery. Pages are counted up to `max_pages`."""

    seconds: float = 25.0
    identity_seconds: float = 8.0
    max_sitemaps: int = 5  # named by robots.txt or the start page; each may be an index
    max_feeds: int = 5
    max_files: int = 10  # of one sitemap, including the files that it names
    max_pages: int = 10_000
    start_bytes: int = 2 * 1024 * 1024
    file_bytes: int = 10 * 1024 * 1024
    icon_bytes: int = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Offer:
    """A possible start of a crawl. `pages` is the number of pages of the same website that it lists or, for a site,
    that its start page links to. `has_more` means that counting stopped before the end."""

    kind: SeedKind
    url: str
    title: str
    pages: int
    has_more: bool = False


@dataclass(slots=True)
class Discovery:
    """The offers of a website, the site itself first. `problems` are (URL, reason) of named files that cannot be read.
    `is_complete` is False if the time ran out."""

    url: str  # of the start page, after redirects
    title: str = ""
    offers: list[Offer] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    is_complete: bool = False


@dataclass(frozen=True, slots=True)
class SiteIdentity:
    """How a website presents itself. `color` is "#rrggbb", `icon` the unchanged bytes of a picture, `language` a BCP 47
    primary subtag. Missing values are empty."""

    name: str = ""
    color: str = ""
    icon: bytes = b""
    language: str = ""


@dataclass(frozen=True, slots=True)
class _StartPage:
    title: str
    identity: SiteIdentity  # without the icon
    icon: str  # its URL
    links: tuple[str, ...]
    feeds: dict[str, str]  # title by URL
    sitemaps: tuple[str, ...]


class SiteDiscovery:
    """Discovers websites through a guarded fetcher. As in a crawl, robots.txt is checked for each file."""

    def __init__(self, fetcher: Fetcher, robots: Robots, limits: DiscoveryLimits | None = None) -> None:
        self._fetcher = fetcher
        self._robots = robots
        self._limits = limits or DiscoveryLimits()

    async def look(self, url: str) -> Discovery:
        """Discover the website at `url`. Raises UrlRefused if the address must not be dialled, never for what a site
        does."""
        found = Discovery(str(check_url(url, self._fetcher.policy)))
        with anyio.move_on_after(self._limits.seconds):
            start = await self._start(found)
            if start is not None:
                found.title = start.title
                on_site = self._of_same_site(found.url, (found.url, *start.links))
                found.offers.append(Offer(SeedKind.SITE, found.url, start.title, len(on_site)))
            async for offer in self._sitemaps(found, start.sitemaps if start else ()):
                found.offers.append(offer)
            for feed, title in (start.feeds if start else {}).items():
                if listed := await self._listed(SeedKind.FEED, feed, title, parse_feed, found.problems):
                    found.offers.append(listed)
            found.is_complete = True
        return found

    async def identity_of(self, url: str) -> SiteIdentity:
        """How the website presents itself on the page at `url`; empty if the page cannot be read. Raises UrlRefused as
        `look` does."""
        found, identity = Discovery(str(check_url(url, self._fetcher.policy))), SiteIdentity()
        with anyio.move_on_after(self._limits.identity_seconds):
            if start := await self._start(found):
                identity = start.identity
                wanted = WantedBody(_ICON_TYPES, self._limits.icon_bytes)
                if start.icon and not await self._robots.refusal(start.icon):
                    icon = await self._fetcher.fetch(start.icon, wanted=wanted, admit=self._robots.refusal)
                    identity = replace(identity, icon=b"" if isinstance(icon, NotFetched) else icon.body)
        return identity

    async def _start(self, found: Discovery) -> _StartPage | None:
        if refusal := await self._robots.refusal(found.url):
            found.problems.append((found.url, refusal.reason))
            return None
        wanted = WantedBody(HTML.media_types, self._limits.start_bytes, truncate=True)
        answer = await self._fetcher.fetch(found.url, wanted=wanted, admit=self._robots.refusal)
        if isinstance(answer, NotFetched):
            found.problems.append((found.url, answer.reason))
            return None
        found.url = answer.final_url
        try:
            return await to_thread.run_sync(self._read_start, answer.body, answer.final_url, answer.charset)
        except ExtractionFailed as error:
            found.problems.append((found.url, error.reason))
            return None

    def _read_start(self, body: bytes, url: str, charset: str | None) -> _StartPage:
        tree = parse_html(decode_html(body, charset))
        feeds: dict[str, str] = {}
        sitemaps: list[str] = []
        for node in tree.css("link[href][rel]"):
            attributes = {name: (value or "").strip() for name, value in node.attributes.items()}
            relations, target = attributes["rel"].lower().split(), self._absolute(url, attributes["href"])
            if target is None:
                continue
            if "alternate" in relations and attributes.get("type", "").lower() in _FEED_TYPES:
                feeds.setdefault(target, " ".join(attributes.get("title", "").split())[:_MAX_TITLE_CHARS])
            elif "sitemap" in relations:
                sitemaps.append(target)
        title = page_title(tree, tree.body, url)[:_MAX_TITLE_CHARS]
        links = read_links(tree, url, lambda text: normalise_url(text, self._fetcher.policy)).links
        first_feeds = dict(list(feeds.items())[: self._limits.max_feeds])
        icon = self._absolute(url, site_icon(tree)) or ""
        identity = SiteIdentity(site_name(tree, url), site_color(tree), language=declared_language(tree) or "")
        return _StartPage(title, identity, icon, links, first_feeds, tuple(sitemaps))

    async def _sitemaps(self, found: Discovery, linked: Iterable[str]) -> AsyncIterator[Offer]:
        origin = check_url(found.url, self._fetcher.policy)
        named = [self._absolute(f"{origin.origin}/", name) for name in (await self._robots.site(origin)).sitemaps]
        urls = list(dict.fromkeys(url for url in (*named, *linked) if url))[: self._limits.max_sitemaps]
        problems = found.problems
        if not urls:
            urls = [f"{origin.origin}{path}" for path in USUAL_SITEMAP_PATHS]
            problems = []  # a missing sitemap at a usual address is not reported
        for url in urls:
            if offer := await self._listed(SeedKind.SITEMAP, url, "", parse_sitemap, problems):
                yield offer
        if offer := await self._listed(SeedKind.SITEMAP, f"{origin.origin}{USUAL_LLMS_PATH}", "", parse_sitemap, []):
            yield offer

    async def _listed(
        self, kind: SeedKind, url: str, title: str, parse: Parse, problems: list[tuple[str, str]]
    ) -> Offer | None:
        limits = SitemapLimits(
            max_files=self._limits.max_files, max_urls=self._limits.max_pages, max_bytes=self._limits.file_bytes
        )
        reading = await SitemapReader(self._fetcher, self._robots.refusal, limits).read([url], parse)
        pages = await to_thread.run_sync(self._of_same_site, url, [entry.url for entry in reading.entries])
        if not reading.entries:
            problems += reading.problems or [(url, "it lists no page")]
            return None
        has_more = len(reading.entries) >= limits.max_urls or bool(reading.problems)
        return Offer(kind, url, title, len(pages), has_more)

    def _of_same_site(self, url: str, pages: Iterable[str]) -> set[str]:
        scope = Scope.around([check_url(url, self._fetcher.policy)])
        found: set[str] = set()
        for page in pages:
            try:
                checked = check_url(page, self._fetcher.policy)
            except UrlRefused:
                continue
            if scope.allows(checked):
                found.add(str(checked))
        return found

    def _absolute(self, base: str, link: str) -> str | None:
        try:
            return str(check_url(urljoin(base, link), self._fetcher.policy))
        except (UrlRefused, ValueError):
            return None
