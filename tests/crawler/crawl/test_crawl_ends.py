"""What ends a crawl before its pages do, and what does not."""

from crawler.crawl.crawl_summary import CrawlBudget, StopReason
from crawler.extract.page import Outcome
from tests.crawler.crawl.small_site import WHOLE_SITE, Run, linked, small_site
from tests.doubles.loopback_site import LoopbackSite


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
