"""Sites that fend the crawler off, or fall over."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from crawler.crawl.crawl_summary import CrawlBudget
from tests.misbehaving.conftest import Crawl
from tests.misbehaving.raw_server import Asked, RawSite, answer, page

MANY = tuple(f"/{number}" for number in range(30))
PATIENCE = CrawlBudget(max_failures_in_row=6)


def storm(site: RawSite, status: int, **headers: str) -> None:
    """The start page is well; everything behind it is not."""
    site.serves("/", page(*MANY))
    site.otherwise = lambda asked: answer("", 404 if "." in asked.path else status, **headers)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
@pytest.mark.parametrize("retry_after", ["", "0", "-5", "soon", "1e9", "9" * 5, "١٢"])
def test_a_storm_ends_the_crawl_with_its_reason(status: int, retry_after: str, site: RawSite, crawl: Crawl) -> None:
    storm(site, status, **({"retry_after": retry_after} if retry_after.isascii() else {}))
    report = crawl(budget=PATIENCE)
    if retry_after == "9" * 5:
        assert report.stop_reason == "The site asks crawlers to wait for 27 hours (Retry-After)."
    else:
        assert report.stopped == "site_failing"
        assert "6 pages in a row failed, the last with: the server" in report.stop_reason
    assert len(report.pages) <= 10


@pytest.mark.parametrize("wait", ["999999999", "99999999999999999999"])
def test_a_wait_of_years_ends_the_crawl_at_once(wait: str, site: RawSite, crawl: Crawl) -> None:
    storm(site, 503, retry_after=wait)
    report = crawl()
    assert report.stop_reason == "The site asks crawlers to wait for 31 years (Retry-After)."
    assert len(report.pages) <= 5


def test_a_wait_until_a_date_is_understood(site: RawSite, crawl: Crawl) -> None:
    tomorrow = datetime.now(UTC) + timedelta(hours=30, minutes=5)
    storm(site, 429, retry_after=format_datetime(tomorrow, usegmt=True))
    assert crawl().stop_reason == "The site asks crawlers to wait for 30 hours (Retry-After)."


def test_a_short_wait_is_waited_for(site: RawSite, crawl: Crawl) -> None:
    turned_away: set[str] = set()

    def once(asked: Asked) -> list[bytes]:
        if asked.path in ("/a", "/b") and asked.path not in turned_away:
            turned_away.add(asked.path)
            return answer("", 429, retry_after="1")
        return answer(page("/a", "/b")) if "." not in asked.path else answer("", 404)

    site.otherwise = once
    report = crawl()
    assert {outcome for outcome, _ in report.pages.values()} == {"fetched"}
    assert report.seconds >= 0.9


def test_failures_here_and_there_do_not_end_a_crawl(site: RawSite, crawl: Crawl) -> None:
    site.serves("/", page(*MANY))
    site.otherwise = lambda asked: (
        answer(page(), 503 if asked.path[1:].isdigit() and int(asked.path[1:]) % 3 else 200)
        if "." not in asked.path
        else answer("", 404)
    )
    report = crawl(budget=CrawlBudget(max_failures_in_row=10))
    assert len(report.pages) == 31
    assert report.stopped == "finished"


def test_a_site_that_goes_silent_ends_the_crawl(site: RawSite, crawl: Crawl) -> None:
    site.serves("/", page(*MANY))
    site.otherwise = lambda asked: answer("", 404) if "." in asked.path else site.silent()(asked)
    report = crawl(budget=PATIENCE)
    assert report.stopped == "site_failing"
    assert "did not respond in time" in report.stop_reason


def test_a_site_that_is_down_is_not_asked_for_every_page(site: RawSite, crawl: Crawl) -> None:
    site.serves("/", page(*MANY))
    site.otherwise = lambda asked: answer("", 404) if "." in asked.path else []
    report = crawl(budget=PATIENCE)
    assert report.stopped == "site_failing"
    assert len(report.pages) < 12
