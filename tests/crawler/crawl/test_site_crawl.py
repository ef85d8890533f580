"""A website is read, page by page: every URL is accounted for."""

import threading

import pytest

from crawler.crawl.crawl_summary import CrawlBudget, StopReason
from crawler.crawl.frontier import FrontierEntry
from crawler.crawl.site_crawl import SiteCrawl
from crawler.discover.crawl_seeds import Seed, SeedKind
from crawler.discover.scope import Scope
from crawler.extract.page import Outcome, PageResult, Validators
from crawler.fetch.robots import Robots
from crawler.url_rules import check_url
from tests.crawler.crawl.small_site import WHOLE_SITE, PlainExtractor, Run, linked, small_site
from tests.doubles.loopback_site import LoopbackSite, Reply
from tests.doubles.memory_frontier import MemoryFrontier
from tests.doubles.threads_of import threads_of


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


async def test_without_a_word_in_robots_txt_the_usual_sitemap_is_found(site: LoopbackSite, crawl: Run) -> None:
    site.page("/sitemap.xml", "<urlset><url><loc>/only-there</loc></url></urlset>")
    site.page("/", linked())
    site.page("/only-there", linked())
    assert (await crawl()).problems == ()
    assert crawl.outcomes == {"/": Outcome.FETCHED, "/only-there": Outcome.FETCHED}


async def test_a_sitemap_at_no_url_is_a_problem_and_the_site_is_read(site: LoopbackSite, crawl: Run) -> None:
    small_site(site)
    site.page("/robots.txt", "Disallow: /private\nSitemap: http://[broken/map.xml\nSitemap: /index.xml")
    summary = await crawl()
    assert [url for url, _ in summary.problems] == ["http://[broken/map.xml"]
    assert crawl.outcomes["/hidden"] is Outcome.FETCHED


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


TEXT = "The {} is open from nine to five on every day of the week but not on the last of a month. "


@pytest.mark.parametrize("named", ["/", "/c", "/gone", "/private"])
async def test_a_canonical_that_every_page_names_is_not_believed(site: LoopbackSite, crawl: Run, named: str) -> None:
    paths = ("/a", "/b", "/c")
    site.page("/robots.txt", "User-agent: *\nDisallow: /private")
    site.page("/gone", status=410)
    for path, links in (("/", paths), *((path, ()) for path in (*paths, "/private"))):
        other = "".join(f"{path}{n} " for n in range(40))
        site.page(path, f'<link rel="canonical" href="{named}">' + linked(*links, text=TEXT.format(path) + other))
    await crawl()
    assert crawl.outcomes == dict.fromkeys(("/", *paths), Outcome.FETCHED)
    assert {result.page.canonical_url for result in crawl.results if result.page} == {
        f"{site.origin}{path}" for path in ("/", *paths)
    }


async def test_a_canonical_with_the_same_text_is_believed(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", linked("/?sort=price", text=TEXT.format("shop")))
    site.page("/?sort=price", '<link rel="canonical" href="/">' + linked(text=TEXT.format("shop")))
    await crawl()
    assert crawl.outcomes == {"/": Outcome.FETCHED, "/?sort=price": Outcome.DUPLICATE}


async def test_a_start_page_that_leads_on_at_once_does_not_end_the_crawl(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", '<meta http-equiv="refresh" content="0; url=./latest/">')
    site.page("/latest/", linked("/latest/a", text=TEXT.format("shop")))
    site.page("/latest/a", TEXT.format("workshop"))
    await crawl()
    assert [path for path, outcome in crawl.outcomes.items() if outcome is Outcome.FETCHED] == ["/latest/", "/latest/a"]
