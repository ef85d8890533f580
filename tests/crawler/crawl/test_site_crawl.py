import gzip
import threading
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

import pytest
from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.crawl_budget import CrawlBudget
from crawler.crawl.crawl_summary import CrawlSummary, StopReason
from crawler.crawl.frontier import FrontierEntry, MemoryFrontier
from crawler.crawl.site_crawl import SiteCrawl
from crawler.discover.crawl_seeds import Seed, SeedKind
from crawler.discover.scope import Scope
from crawler.errors import ExtractionFailed
from crawler.extract.links import read_links
from crawler.extract.page import Outcome, Page, PageResult, Validators
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.robots import Robots
from crawler.url_rules import check_url
from tests.doubles.loopback_site import LoopbackSite, Reply
from tests.doubles.threads_of import threads_of


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

    async def __call__(
        self,
        path: str = "/",
        kind: SeedKind = SeedKind.SITE,
        budget: CrawlBudget | None = None,
        on_result: Callable[[PageResult], Awaitable[None]] | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
        scope: Scope | None = None,
        concurrency: int = 4,
    ) -> CrawlSummary:
        url = f"{self.site.origin}{path}"
        return await SiteCrawl(
            [Seed(url, kind)],
            scope or Scope.around([check_url(self.site.origin, self.site.policy)]),
            self.frontier,
            self.fetcher,
            Robots(self.fetcher),
            PlainExtractor(),
            budget,
            concurrency=concurrency,
            is_cancelled=is_cancelled,
        ).run(on_result or self._keep)

    async def _keep(self, result: PageResult) -> None:
        self.results.append(result)

    @property
    def outcomes(self) -> dict[str, Outcome]:
        return {result.url.removeprefix(self.site.origin): result.outcome for result in self.results}


@pytest.fixture
def crawl(site: LoopbackSite, fetcher: Fetcher) -> Run:
    return Run(site, fetcher)


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


async def test_a_whole_site_is_read_and_every_url_accounted_for(site: LoopbackSite, crawl: Run) -> None:
    small_site(site)
    summary = await crawl(concurrency=1)
    assert crawl.outcomes == WHOLE_SITE
    assert summary.stopped is StopReason.FINISHED
    assert summary.seen == len(WHOLE_SITE) == sum(summary.outcomes.values())
    assert summary.problems == ()
    assert "/private" not in site.paths


async def test_pages_read_at_the_same_time_come_out_the_same(site: LoopbackSite, crawl: Run) -> None:
    small_site(site)
    await crawl(concurrency=4)
    assert set(crawl.outcomes) == set(WHOLE_SITE)
    pages = {result.page.canonical_url for result in crawl.results if result.page}
    assert pages == {f"{site.origin}{path}" for path in ("/", "/hidden", "/a", "/a/1", "/b")}
    assert len(crawl.results) == len(WHOLE_SITE)


@pytest.mark.parametrize("survived", range(10))
async def test_a_crawl_killed_at_any_result_is_finished_by_the_next(
    survived: int, site: LoopbackSite, fetcher: Fetcher
) -> None:
    class KilledError(Exception):
        pass

    small_site(site)
    first = Run(site, fetcher)

    async def dies(result: PageResult) -> None:
        if len(first.results) == survived:
            raise KilledError
        first.results.append(result)

    with pytest.raises(KilledError):
        await first(on_result=dies, concurrency=2)
    assert len(first.frontier.results) <= survived

    second = Run(site, fetcher, ResumedFrontier(first.frontier))
    summary = await second(concurrency=2)
    assert summary.stopped is StopReason.FINISHED
    assert set(second.frontier.results) == {f"{site.origin}{path}" for path in WHOLE_SITE}
    pages = {result.page.canonical_url for result in first.results + second.results if result.page}
    assert pages == {f"{site.origin}{path}" for path in ("/", "/hidden", "/a", "/a/1", "/b")}


class FailingFrontier(MemoryFrontier):
    """A frontier whose process dies at its n-th call."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self._calls_left = calls

    def _count(self) -> None:
        self._calls_left -= 1
        if self._calls_left < 0:
            raise ConnectionError("the process died")

    async def add(self, entries: Iterable[FrontierEntry]) -> int:
        self._count()
        return await super().add(entries)

    async def take(self, limit: int) -> list[FrontierEntry]:
        entries = await super().take(limit)
        self._count()  # taken, and never seen
        return entries

    async def settle(self, result: PageResult) -> None:
        self._count()
        await super().settle(result)


@pytest.mark.parametrize("calls", range(0, 20, 2))
async def test_a_crawl_killed_at_any_call_of_its_frontier_is_finished_by_the_next(
    calls: int, site: LoopbackSite, fetcher: Fetcher
) -> None:
    small_site(site)
    first = Run(site, fetcher, FailingFrontier(calls))
    with pytest.raises(ConnectionError):
        await first(concurrency=2)
    second = Run(site, fetcher, ResumedFrontier(first.frontier))
    await second(concurrency=2)
    assert set(second.frontier.results) == {f"{site.origin}{path}" for path in WHOLE_SITE}
    pages = {result.page.canonical_url for result in first.results + second.results if result.page}
    assert pages == {f"{site.origin}{path}" for path in ("/", "/hidden", "/a", "/a/1", "/b")}


async def test_links_are_queued_before_their_page_is_settled(site: LoopbackSite, crawl: Run) -> None:
    async def on_result(result: PageResult) -> None:
        assert result.url not in crawl.frontier.results
        if result.depth == 0:
            assert await crawl.frontier.seen_count() == 2

    site.page("/", linked("/a"))
    await crawl(on_result=on_result)
    assert len(crawl.frontier.results) == 2


async def test_a_single_page_is_read_alone_even_where_it_redirects(site: LoopbackSite, crawl: Run) -> None:
    site.page("/start", status=302, location="/a")
    site.page("/a", linked("/b"))
    summary = await crawl("/start", SeedKind.PAGE, CrawlBudget(max_pages=1))
    assert crawl.outcomes == {"/start": Outcome.FETCHED}
    assert crawl.results[0].final_url == f"{site.origin}/a"
    assert summary.stopped is StopReason.FINISHED


async def test_a_sitemap_is_read_without_following_links(site: LoopbackSite, crawl: Run) -> None:
    site.page("/map.txt", f"{site.origin}/a\n{site.origin}/b\nhttps://other.example/\n", content_type="text/plain")
    site.page("/a", linked("/c"))
    site.page("/b", linked("/c"))
    await crawl("/map.txt", SeedKind.SITEMAP)
    assert crawl.outcomes == {"/a": Outcome.FETCHED, "/b": Outcome.FETCHED}


MARKDOWN = "text/markdown"


async def test_an_llms_txt_leads_to_markdown_that_stands_for_its_pages(site: LoopbackSite, crawl: Run) -> None:
    site.page(
        "/llms.txt", "# Shop\n\n- [A](/a.md)\n- [B](/b.html.md)\n- [C](/c)\n- [D](/d.md)\n", content_type="text/plain"
    )
    site.page("/a.md", "words of a", content_type=MARKDOWN)
    site.page("/a", linked())
    site.page("/b.html.md", "words of b", content_type="text/plain; charset=utf-8")
    site.page("/b.html", linked())
    site.page("/c", linked())
    site.page("/d.md", "words of d", content_type=MARKDOWN)  # and no page beside it
    await crawl("/llms.txt", SeedKind.SITEMAP)
    cited = {result.url: result.page.canonical_url for result in crawl.results if result.page}
    origin = site.origin
    assert cited == {
        f"{origin}/a.md": f"{origin}/a",
        f"{origin}/b.html.md": f"{origin}/b.html",
        f"{origin}/c": f"{origin}/c",
        f"{origin}/d.md": f"{origin}/d.md",
    }


async def test_a_page_and_its_markdown_are_one(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", linked("/a", "/a.md", "/notes.txt"))
    site.page("/a", linked())
    site.page("/a.md", "words of a", content_type=MARKDOWN)
    site.page("/notes.txt", "plain", content_type="text/plain")
    await crawl(concurrency=1)
    assert crawl.outcomes == {
        "/": Outcome.FETCHED,
        "/a": Outcome.FETCHED,
        "/a.md": Outcome.DUPLICATE,
        "/notes.txt": Outcome.NOT_HTML,
    }


async def test_markdown_that_names_a_page_of_another_website_stands_for_itself(site: LoopbackSite, crawl: Run) -> None:
    site.page("/a.md", "words", content_type=MARKDOWN, link='<https://other.example/>; rel="canonical"')
    await crawl("/a.md", SeedKind.PAGE)
    [result] = crawl.results
    assert result.page
    assert result.page.canonical_url == f"{site.origin}/a.md"


async def test_without_a_word_in_robots_txt_the_usual_sitemap_is_found(site: LoopbackSite, crawl: Run) -> None:
    site.page("/sitemap.xml", "<urlset><url><loc>/only-there</loc></url></urlset>")
    site.page("/", linked())
    site.page("/only-there", linked())
    assert (await crawl()).problems == ()
    assert crawl.outcomes == {"/": Outcome.FETCHED, "/only-there": Outcome.FETCHED}


async def test_the_page_budget_ends_a_crawl_and_says_so(site: LoopbackSite, crawl: Run) -> None:
    for number in range(20):
        site.page(f"/{number}", linked(f"/{number + 1}", f"/{number + 100}"))
    summary = await crawl("/0", budget=CrawlBudget(max_pages=5, max_depth=99))
    assert summary.stopped is StopReason.PAGE_BUDGET
    assert summary.seen == len(crawl.results) == 5


async def test_a_site_that_just_fits_its_budget_is_finished(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", linked("/a", "/"))
    site.page("/a", linked("/", "/a"))
    assert (await crawl(budget=CrawlBudget(max_pages=2))).stopped is StopReason.FINISHED


async def test_a_site_that_fails_page_after_page_is_left(site: LoopbackSite, crawl: Run) -> None:
    paths = [f"/{number}" for number in range(20)]
    site.page("/", linked(*paths))
    for path in paths:
        site.page(path, status=503)
    summary = await crawl(budget=CrawlBudget(max_failures_in_row=3), concurrency=1)
    assert summary.stopped is StopReason.SITE_FAILING
    assert len(crawl.results) == 4


async def test_pages_that_are_missing_are_no_failure_of_the_site(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", linked(*(f"/{number}" for number in range(20))))
    summary = await crawl(budget=CrawlBudget(max_failures_in_row=3))
    assert summary.stopped is StopReason.FINISHED
    assert summary.outcomes[Outcome.NOT_FOUND] == 20


async def test_a_long_retry_after_ends_the_crawl(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", linked("/a", "/b"))
    site.page("/a", status=429, retry_after="86400")
    summary = await crawl(concurrency=1)
    assert (summary.stopped, summary.wait_seconds) == (StopReason.ASKED_TO_WAIT, 86_400)
    assert "/b" not in site.paths


async def test_links_are_followed_to_the_depth_allowed(site: LoopbackSite, crawl: Run) -> None:
    for number in range(9):
        site.page(f"/{number}", linked(f"/{number + 1}"))
    await crawl("/0", budget=CrawlBudget(max_depth=2))
    assert {result.url[-1]: result.depth for result in crawl.results} == {"0": 0, "1": 1, "2": 2}


async def test_a_calendar_without_end_is_left(site: LoopbackSite, crawl: Run) -> None:
    def month(number: int) -> None:
        site.page(f"/calendar?m={number}", linked(f"/calendar?m={number + 1}"))

    for number in range(20):
        month(number)
    await crawl("/calendar?m=0", budget=CrawlBudget(max_query_variants=4, max_depth=99))
    assert len(crawl.results) == 4


async def test_a_cancelled_crawl_settles_what_it_began_and_can_go_on(site: LoopbackSite, crawl: Run) -> None:
    small_site(site)
    summary = await crawl(is_cancelled=lambda: len(crawl.results) >= 3, concurrency=2)
    assert summary.stopped is StopReason.CANCELLED
    assert len(crawl.frontier.results) == len(crawl.results) < len(WHOLE_SITE)
    assert (await crawl()).stopped is StopReason.FINISHED
    assert set(crawl.outcomes) == set(WHOLE_SITE)


async def test_a_start_off_limits_is_a_problem_with_its_reason(site: LoopbackSite, crawl: Run) -> None:
    summary = await SiteCrawl(
        [Seed("http://10.0.0.1/"), Seed(f"{site.origin}/")],
        Scope.around([check_url("https://other.example/")]),
        crawl.frontier,
        crawl.fetcher,
        Robots(crawl.fetcher),
        PlainExtractor(),
    ).run(crawl._keep)
    assert summary.stopped is StopReason.NOTHING_TO_VISIT
    assert [url for url, _ in summary.problems] == ["http://10.0.0.1/", f"{site.origin}/"]


@pytest.mark.parametrize(
    ("header", "meta", "outcome", "follows"),
    [
        ("", "", Outcome.FETCHED, True),
        ("noindex", "", Outcome.NOINDEX, True),
        ("nofollow", "", Outcome.FETCHED, False),
        ("none", "", Outcome.NOINDEX, False),
        ("otherbot: none", "", Outcome.FETCHED, True),
        ("", "noindex", Outcome.NOINDEX, True),
        ("", "nofollow", Outcome.FETCHED, False),
    ],
)
async def test_what_a_page_asks_of_robots_is_done(
    header: str, meta: str, outcome: Outcome, follows: bool, site: LoopbackSite, crawl: Run
) -> None:
    site.page("/", f'<meta name="robots" content="{meta}">' + linked("/a"), x_robots_tag=header or "all")
    site.page("/a", linked())
    await crawl()
    assert crawl.outcomes["/"] is outcome
    assert ("/a" in crawl.outcomes) == follows


async def test_pages_without_text_or_beyond_reading_do_not_stop_a_crawl(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", linked("/empty", "/bad", "/a"))
    site.page("/empty", "<html><body>")
    site.page("/bad", "UNREADABLE")
    site.page("/a", linked())
    await crawl()
    assert crawl.outcomes == {
        "/": Outcome.FETCHED,
        "/empty": Outcome.EMPTY_TEXT,
        "/bad": Outcome.EMPTY_TEXT,
        "/a": Outcome.FETCHED,
    }


async def test_a_redirect_out_of_the_source_or_into_the_forbidden_is_not_followed(
    site: LoopbackSite, crawl: Run
) -> None:
    site.page("/robots.txt", "User-agent: *\nDisallow: /private")
    site.page("/", linked("/out", "/in", "/metadata"))
    site.page("/out", status=302, location="https://other.example/")
    site.page("/in", status=302, location="/private")
    site.page("/metadata", status=302, location="http://169.254.169.254/")
    await crawl()
    assert crawl.outcomes["/out"] is Outcome.OUT_OF_SCOPE
    assert crawl.outcomes["/in"] is Outcome.BLOCKED_BY_ROBOTS
    assert crawl.outcomes["/metadata"] is Outcome.FORBIDDEN_ADDRESS
    assert "/private" not in site.paths


async def test_a_page_of_the_last_visit_that_has_not_changed_is_unchanged(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", linked("/a"))
    site.routes["/a"] = lambda headers: Reply(304 if headers.get("if-none-match") == '"1"' else 200, b"<html>new")
    entry = FrontierEntry(f"{site.origin}/a", 1, Validators('"1"'))
    await crawl.frontier.add([entry])
    await crawl()
    assert crawl.outcomes["/a"] is Outcome.UNCHANGED
    assert crawl.results[[result.url for result in crawl.results].index(entry.url)].validators == entry.validators


async def test_only_so_many_pages_are_under_way_at_once(site: LoopbackSite, crawl: Run) -> None:
    taken: list[int] = []

    class CountingFrontier(MemoryFrontier):
        async def take(self, limit: int) -> list[FrontierEntry]:
            entries = await super().take(limit)
            taken.append(len(entries))
            return entries

    crawl.frontier = CountingFrontier()
    site.page("/", linked(*(f"/{number}" for number in range(9))))
    await crawl(concurrency=3)
    assert max(taken) == 3
    assert len(crawl.results) == 10


async def test_the_pages_of_a_sitemap_are_chosen_beside_the_event_loop(
    site: LoopbackSite, crawl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.page("/sitemap.xml", "<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>")
    choosing = threads_of(monkeypatch, "crawler.crawl.site_crawl", "normalise_url")
    await crawl("/sitemap.xml", SeedKind.SITEMAP)
    assert len(crawl.results) == 2
    assert choosing
    assert threading.get_ident() not in choosing
