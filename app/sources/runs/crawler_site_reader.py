"""Implements SiteReader with our crawler package: sources become its seeds and scope, its results become pages."""

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from app.core.errors import InvalidInput
from app.core.page_url import site_name
from app.core.setting_values import USER_AGENT
from app.core.text.markdown.links import without_targets
from app.kit.clock import Clock
from app.knowledge.document import PageContent, SectionHeading
from app.sources.kinds.website import WebsiteKind
from app.sources.runs.site_reader import PageQueue, QueuedPage, ReadPage, RunSummary
from app.sources.source import SourceAccess, SourceConfig
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.crawl.crawl_summary import CrawlBudget, CrawlSummary, StopReason
from crawler.crawl.frontier import FrontierEntry
from crawler.discover.crawl_seeds import Seed
from crawler.errors import UrlRefused
from crawler.extract.extraction_pool import Extractor
from crawler.extract.metadata.linked_data import Product
from crawler.extract.page import Outcome, Page, PageResult, Validators
from crawler.fetch.fetch_result import SiteAccess
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.http_answers import media_type_and_charset
from crawler.fetch.linked_files import FILE_TYPES
from crawler.fetch.pacing import HostPacing
from crawler.fetch.robots import Robots
from crawler.url_rules import CheckedUrl, check_url

if TYPE_CHECKING:
    from crawler.crawl.page_visit import FileReading
    from crawler.fetch.playwright_renderer import PlaywrightRenderer

_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_WORD_START: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TITLE: Final = re.compile(r"# [^\n]*\n*")


def with_product_line(markdown: str, product: Product | None) -> str:
    """Add the product's facts that the page does not show below its title. Prices are often outside of a shop page's
    main content, or inserted by scripts; its JSON-LD has them for search engines."""
    if product is None or not markdown:
        return markdown
    text = without_targets(markdown)
    shown = text.casefold()
    facts = [fact for fact in _facts(product, text) if fact.rpartition(": ")[2].casefold() not in shown]
    if not facts:
        return markdown
    title = _TITLE.match(markdown)
    end = title.end() if title else 0
    return f"{markdown[:end].rstrip()}\n\n{product.name}. {'. '.join(facts)}.\n\n{markdown[end:]}".strip()


def _facts(product: Product, markdown: str) -> list[str]:
    prices = {_amount(number) for number in _NUMBER.findall(markdown)}
    is_price_shown = all(_amount(number) in prices for number in _NUMBER.findall(product.price))
    availability = _WORD_START.sub(" ", product.availability).lower()
    facts = (
        ("Price", "" if is_price_shown else f"{product.price} {product.currency}".strip()),
        ("Availability", availability),
        ("Brand", product.brand),
        ("SKU", product.sku),
    )
    return [f"{name}: {value}" for name, value in facts if value]


def _amount(number: str) -> str:
    """An amount in one form: "1.189,50", "1,189.5" and "1189.50" are equal."""
    digits = number.replace(",", ".")
    whole, point, cents = digits.rpartition(".")
    if not point or len(cents) > 2:
        return digits.replace(".", "")
    return f"{whole.replace('.', '')}.{cents}".rstrip("0").rstrip(".")


# Pages in progress at once. HostPacing limits requests to a host further; pages that arrive together are learnt with
# fewer writes.
CONCURRENCY: Final = 16


class CrawlerSiteReader:
    """Reads websites politely. One per process: all its readings share connections, robots rules and pacing, also with
    other users of its `fetcher`.

    `allowed` endpoints (ip, port) may be private; for demonstrations and tests. The caller owns `extractor` and that of
    `files`, and closes them; close this with `aclose`. `browser` is the path of a Chromium for pages that are empty
    until their scripts run; without it they are left out.
    """

    def __init__(
        self,
        extractor: Extractor,
        clock: Clock,
        allowed: Iterable[Endpoint] = (),
        *,
        files: "FileReading | None" = None,
        user_agent: str = USER_AGENT,
        min_delay_seconds: float = 0.5,
        browser: str = "",
    ) -> None:
        self._extractor = extractor
        self._clock = clock
        self._policy = AddressPolicy(frozenset(allowed))
        self._files = files
        pacing = HostPacing(min_delay_seconds, max_per_host=2)
        self._wire = GuardedWire(GuardedTransport(self._policy))
        self.fetcher = Fetcher(self._wire, user_agent, pacing, self._policy)
        self._robots = Robots(self.fetcher)
        self._renderer = _renderer(self.fetcher, self._robots, browser)

    async def aclose(self) -> None:
        if self._renderer is not None:
            await self._renderer.aclose()
        await self._wire.aclose()

    async def read(
        self,
        source: SourceConfig,
        queue: PageQueue,
        settle: Callable[[ReadPage], Awaitable[None]],
        is_cancelled: Callable[[], Awaitable[bool]],
        *,
        only_queued: bool = False,
        access: SourceAccess | None = None,
    ) -> RunSummary:
        from crawler.crawl.site_crawl import SiteCrawl  # a web process needs the rest of this module, but reads no site

        kind, url = self._start(source)
        frontier = _QueueFrontier(queue, is_cancelled)

        async def on_result(result: PageResult) -> None:
            await settle(self._read_page(result, source))

        if not only_queued:  # an operator who has changed robots.txt reads the website again at once
            self._robots.expire(url)
        fetcher, robots, renderer = self.fetcher, self._robots, self._renderer
        if access is not None:  # for this source alone, like the robots rules that it gets
            fetcher = fetcher.with_access(SiteAccess(url, access.headers))
            robots, renderer = Robots(fetcher), None
        crawl = SiteCrawl(
            seeds=[] if only_queued else [Seed(str(url), kind.seed)],
            scope=kind.scope(source, url),
            frontier=frontier,
            fetcher=fetcher,
            robots=robots,
            extractor=self._extractor,
            budget=CrawlBudget(max_pages=source.max_pages, max_depth=source.max_depth),
            concurrency=CONCURRENCY,
            renderer=renderer,
            files=self._files if source.read_files else None,
            is_cancelled=lambda: frontier.was_cancelled,
        )
        summary = await crawl.run(on_result)
        if frontier.was_cancelled:
            return RunSummary("The reading was cancelled.", is_complete=False)
        return _in_words(summary)

    def _start(self, source: SourceConfig) -> tuple[WebsiteKind, CheckedUrl]:
        if not isinstance(source.kind, WebsiteKind):
            raise InvalidInput("kind", f'a source of kind "{source.kind.value}" is not read from the web')
        try:
            return source.kind, check_url(source.url.strip(), self._policy)
        except UrlRefused as error:
            raise InvalidInput("url", error.reason) from error

    def _read_page(self, result: PageResult, source: SourceConfig) -> ReadPage:
        return ReadPage(
            url=result.url,
            depth=result.depth,
            status=result.outcome.value,
            reason=_reason(result, source),
            content=page_content(result.page, source) if result.page else None,
            http_status=result.status,
            body_bytes=result.body_bytes,
            etag=result.validators.etag,
            last_modified=result.validators.last_modified,
            read_at=self._clock.now(),
        )


def _reason(result: PageResult, source: SourceConfig) -> str:
    if result.outcome is Outcome.BOT_WALL:
        return f"{result.reason}; let DocentBot through there, as the documentation of sources shows"
    media_type, _ = media_type_and_charset(result.headers.get("content-type", ""))
    if result.outcome is Outcome.NOT_HTML and media_type in FILE_TYPES and not source.read_files:
        return f"{result.reason}; to read it, turn on PDF and Office files in the source's settings"
    return result.reason


class _QueueFrontier:
    """The run's queue as the crawl's frontier. The reader settles results, because it knows their outcome."""

    def __init__(self, queue: PageQueue, is_cancelled: Callable[[], Awaitable[bool]]) -> None:
        self._queue = queue
        self._is_cancelled = is_cancelled
        self.was_cancelled = False

    async def add(self, entries: Iterable[FrontierEntry]) -> int:
        return await self._queue.add([QueuedPage(entry.url, entry.depth) for entry in entries])

    async def take(self, limit: int) -> list[FrontierEntry]:
        self.was_cancelled = self.was_cancelled or await self._is_cancelled()
        if self.was_cancelled:
            return []
        return [
            FrontierEntry(page.url, page.depth, Validators(page.etag, page.last_modified))
            for page in await self._queue.take(limit)
        ]

    async def settle(self, result: PageResult) -> None:
        """Nothing to do: `on_result` has settled the page."""

    async def seen_count(self) -> int:
        return await self._queue.seen_count()


def page_content(page: Page, source: SourceConfig) -> PageContent:
    return PageContent(
        url=page.canonical_url,
        title=page.title,
        markdown=with_product_line(page.markdown, page.linked.product),
        headings=tuple(SectionHeading(**asdict(heading)) for heading in page.headings),
        description=page.description,
        language=page.language,
        site=site_name(page.url, source.name),
        published=page.published,
        modified=page.modified,
        hidden_text=page.hidden_text,
    )


def _renderer(fetcher: Fetcher, robots: Robots, browser: str) -> "PlaywrightRenderer | None":
    if not browser:
        return None
    from crawler.fetch.playwright_renderer import PlaywrightRenderer  # from the extra `render`

    return PlaywrightRenderer(fetcher, robots, browser)


def _in_words(summary: CrawlSummary) -> RunSummary:
    problem = f"{summary.problems[0][0]}: {summary.problems[0][1]}" if summary.problems else ""
    if summary.stopped is StopReason.NOTHING_TO_VISIT:
        raise InvalidInput("url", problem or "no page of the source is in its scope")
    reason = summary.reason
    if summary.stopped is not StopReason.FINISHED or summary.has_read_nothing:
        return RunSummary(reason, is_complete=False)
    if problem:
        return RunSummary(f"{reason} Not every sitemap could be read: {problem}.", is_complete=False)
    return RunSummary(reason)
