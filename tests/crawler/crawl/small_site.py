"""A small website on loopback, and one crawl of it."""

import gzip
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.crawl_summary import CrawlBudget, CrawlSummary
from crawler.crawl.page_visit import FileReading
from crawler.crawl.site_crawl import SiteCrawl
from crawler.discover.crawl_seeds import Seed, SeedKind
from crawler.discover.scope import Scope
from crawler.errors import ExtractionFailed
from crawler.extract.extraction_pool import Extractor
from crawler.extract.links import read_links
from crawler.extract.page import Outcome, Page, PageResult
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.robots import Robots
from crawler.url_rules import check_url
from tests.doubles.loopback_site import LoopbackSite
from tests.doubles.memory_frontier import MemoryFrontier


class PlainExtractor:
    """All text of a page, and its links."""

    async def extract(self, body: bytes, url: str, charset: str | None, media_type: str = "text/html") -> Page:
        if b"UNREADABLE" in body:
            raise ExtractionFailed("nobody can read this")
        tree = LexborHTMLParser(body.decode(charset or "utf-8"))
        links = read_links(tree, url)
        text = tree.text(separator=" ", strip=True)
        return Page(url, links.canonical_url, "", text, links=links.links, is_noindex=links.is_noindex)


class ResumedFrontier(MemoryFrontier):
    """What the next owner finds: entries taken but never settled come first again."""

    def __init__(self, left_behind: MemoryFrontier) -> None:
        super().__init__()
        self.results = left_behind.results
        self._seen = left_behind._seen
        self._queue.extend(entry for url, entry in self._seen.items() if url not in self.results)


@dataclass
class Run:
    """One crawl of the loopback site and what came of it, by path."""

    site: LoopbackSite
    fetcher: Fetcher
    frontier: MemoryFrontier = field(default_factory=MemoryFrontier)
    results: list[PageResult] = field(default_factory=list)
    extractor: Extractor = field(default_factory=PlainExtractor)

    async def __call__(
        self,
        path: str = "/",
        kind: SeedKind = SeedKind.SITE,
        budget: CrawlBudget | None = None,
        on_result: Callable[[PageResult], Awaitable[None]] | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
        scope: Scope | None = None,
        concurrency: int = 4,
        files: FileReading | None = None,
    ) -> CrawlSummary:
        url = f"{self.site.origin}{path}"
        return await SiteCrawl(
            [Seed(url, kind)],
            scope or Scope.around([check_url(self.site.origin, self.site.policy)]),
            self.frontier,
            self.fetcher,
            Robots(self.fetcher),
            self.extractor,
            budget,
            concurrency=concurrency,
            is_cancelled=is_cancelled,
            files=files,
        ).run(on_result or self._keep)

    async def _keep(self, result: PageResult) -> None:
        self.results.append(result)

    @property
    def outcomes(self) -> dict[str, Outcome]:
        return {result.url.removeprefix(self.site.origin): result.outcome for result in self.results}


def linked(*paths: str, text: str = "words") -> str:
    return f"<html><body>{text} " + "".join(f'<a href="{path}">{path}</a>' for path in paths)


def small_site(site: LoopbackSite) -> None:
    site.page("/robots.txt", "User-agent: *\nDisallow: /private\nSitemap: /index.xml")
    site.page("/index.xml", "<sitemapindex><sitemap><loc>/map.xml.gz</loc></sitemap></sitemapindex>")
    site.page("/map.xml.gz", gzip.compress(b"<urlset><url><loc>/hidden</loc></url></urlset>"))
    site.page("/", linked("/a", "/b", "/private", "/gone", "/file.pdf", "http://10.0.0.1/", "https://other.example/"))
    site.page("/a", linked("/a/1", "/b", "/moved", "/?utm_source=menu"))
    site.page("/a/1", linked("/", text="leaf"))
    site.page("/b", linked("/copy", text="b"))
    site.page("/copy", '<link rel="canonical" href="/b">' + linked(text="b"))
    site.page("/hidden", linked(text="only in the sitemap"))
    site.page("/moved", status=301, location="/a/1")
    site.page("/gone", status=410)
    site.page("/file.pdf", "%PDF", content_type="application/pdf")


WHOLE_SITE = {
    "/": Outcome.FETCHED,
    "/hidden": Outcome.FETCHED,
    "/a": Outcome.FETCHED,
    "/a/1": Outcome.FETCHED,
    "/b": Outcome.FETCHED,
    "/copy": Outcome.DUPLICATE,
    "/moved": Outcome.DUPLICATE,
    "/private": Outcome.BLOCKED_BY_ROBOTS,
    "/gone": Outcome.GONE,
    "/file.pdf": Outcome.NOT_HTML,
}
