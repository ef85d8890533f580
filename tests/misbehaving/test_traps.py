"""Sites that go on for ever."""

import itertools
from collections.abc import Callable

import pytest

from crawler.crawl.crawl_summary import CrawlBudget
from tests.misbehaving.conftest import Crawl
from tests.misbehaving.raw_server import Asked, RawSite, answer, page

Links = Callable[[str], list[str]]
numbers = itertools.count()


def endless(site: RawSite, links: Links) -> None:
    def respond(asked: Asked) -> list[bytes]:
        if asked.path in ("/robots.txt", "/sitemap.xml", "/sitemap_index.xml"):
            return answer("", 404)
        return answer(page(*links(asked.path)))

    site.otherwise = respond


def test_a_calendar_in_the_path_ends_with_the_depth(site: RawSite, crawl: Crawl) -> None:
    def next_month(path: str) -> list[str]:
        month = int(path.rpartition("/")[2] or 0)
        return [f"/calendar/{month + 1}"]

    endless(site, next_month)
    report = crawl(budget=CrawlBudget(max_depth=6))
    assert len(report.pages) == 7
    assert report.stop_reason.endswith("Not followed: 1 links more than 6 steps from the start.")


def test_a_calendar_in_the_query_ends_with_its_variants(site: RawSite, crawl: Crawl) -> None:
    def next_month(path: str) -> list[str]:
        month = int(path.rpartition("=")[2] or 0) if "=" in path else 0
        return [f"/calendar?month={month + 1}", f"/calendar?month={month - 1}"]

    endless(site, next_month)
    report = crawl(budget=CrawlBudget(max_depth=50, max_query_variants=5))
    assert len(report.pages) == 6
    assert "beyond 5 that differ in their query only" in report.stop_reason


def test_permutations_of_filters_end_with_their_variants(site: RawSite, crawl: Crawl) -> None:
    filters = ("colour=red", "size=xl", "brand=acme", "order=price")
    choices = ["/shop?" + "&".join(order) for n in (1, 2, 3, 4) for order in itertools.permutations(filters, n)]
    endless(site, lambda _: choices)
    report = crawl(budget=CrawlBudget(max_query_variants=10))
    assert len(report.pages) == 11
    assert f"{len(choices) - 10} addresses beyond 10" in report.stop_reason


@pytest.mark.parametrize("repeated", ["more/", "en/docs/", "a/b/c/"])
def test_a_relative_link_gone_wrong_ends(repeated: str, site: RawSite, crawl: Crawl) -> None:
    endless(site, lambda path: [path + repeated])
    report = crawl(budget=CrawlBudget(max_depth=50))
    assert len(report.pages) == 4
    assert "1 addresses whose path repeats itself" in report.stop_reason


@pytest.mark.parametrize("pattern", ["/page;jsessionid={}", "/page?PHPSESSID={}", "/page?a=1&JSESSIONID={}"])
def test_a_new_session_id_in_every_link_is_no_new_page(pattern: str, site: RawSite, crawl: Crawl) -> None:
    endless(site, lambda _: [pattern.format(f"{next(numbers):032X}") for _ in range(10)])
    report = crawl()
    assert len(report.pages) == 2
    assert report.stopped == "finished"


def test_fresh_addresses_without_end_end_with_the_page_budget(site: RawSite, crawl: Crawl) -> None:
    endless(site, lambda _: [f"/{next(numbers)}" for _ in range(50)])
    report = crawl()
    assert len(report.pages) == 40
    assert report.stop_reason == "The limit of 40 pages was reached; there are more."


def test_links_that_differ_in_what_does_not_count_are_one_page(site: RawSite, crawl: Crawl) -> None:
    spellings = ["/p", "/p#top", "/p?utm_source=x", "/p?", "/./p", "/a/../p", "/%70", "/p?fbclid=1&gclid=2"]
    endless(site, lambda _: spellings)
    assert set(crawl().pages) == {"/", "/p"}


def test_a_site_that_answers_everything_slowly_ends_with_its_time(site: RawSite, crawl: Crawl) -> None:
    def respond(asked: Asked) -> list[bytes]:
        site.closing.wait(0.2)
        return answer(page(*(f"/{next(numbers)}" for _ in range(9))), 200 if "." not in asked.path else 404)

    site.otherwise = respond
    report = crawl(budget=CrawlBudget(max_seconds=2))
    assert report.stop_reason == "The time limit of a crawl, 2 seconds, was reached; there are more pages."
    assert report.seconds < 6
