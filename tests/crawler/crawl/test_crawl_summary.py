from crawler.crawl.crawl_summary import LEFT_OUT_COUNTED, CrawlBudget, CrawlSummary, LeftOut, StopReason, duration
from crawler.extract.page import Outcome
from tests.every_row import every_row

BUDGET = CrawlBudget(max_pages=7, max_failures_in_row=4, max_seconds=3600)


@every_row(
    ("stopped", "reason"),
    [
        (StopReason.FINISHED, "Every page of the source was visited."),
        (StopReason.PAGE_BUDGET, "The limit of 7 pages was reached; there are more."),
        (StopReason.TIME_BUDGET, "The time limit of a crawl, 1 hour, was reached; there are more pages."),
        (StopReason.SITE_FAILING, "The site stopped responding: 4 pages in a row failed, the last with: it is down."),
        (StopReason.ASKED_TO_WAIT, "The site asks crawlers to wait for 2 days (Retry-After)."),
        (StopReason.CANCELLED, "The crawl was cancelled."),
        (StopReason.NOTHING_TO_VISIT, "There is nothing to visit: no page is in scope."),
    ],
)
def test_every_end_is_said_in_words(stopped: StopReason, reason: str) -> None:
    summary = CrawlSummary(
        stopped, {Outcome.FETCHED: 1}, 1, BUDGET, last_failure="it is down", wait_seconds=2 * 86_400.0
    )
    assert summary.reason == reason


def test_a_crawl_that_read_nothing_says_what_the_last_page_met() -> None:
    summary = CrawlSummary(StopReason.FINISHED, {Outcome.NOT_FOUND: 2}, 2, BUDGET, last_failure="it is not there")
    assert summary.has_read_nothing
    assert summary.reason == "No page could be read: it is not there."


def test_a_crawl_that_went_on_where_another_read_pages_has_not_read_nothing() -> None:
    assert not CrawlSummary(StopReason.FINISHED, {Outcome.NOT_FOUND: 2}, 9, BUDGET).has_read_nothing
    assert not CrawlSummary(StopReason.FINISHED, {}, 9, BUDGET).has_read_nothing


def test_what_was_not_followed_is_said() -> None:
    left_out = {LeftOut.REPEATED_SEGMENTS: 2, LeftOut.TOO_DEEP: LEFT_OUT_COUNTED}
    summary = CrawlSummary(StopReason.FINISHED, {Outcome.FETCHED: 1}, 1, BUDGET, left_out=left_out)
    assert summary.reason.endswith(
        "Not followed: more than 10000 links more than 8 steps from the start, 2 addresses whose path repeats itself."
    )


@every_row(
    ("seconds", "words"),
    [
        (0.5, "0.5 seconds"),
        (1, "1 second"),
        (90, "90 seconds"),
        (120, "2 minutes"),
        (3600, "1 hour"),
        (5400, "90 minutes"),
        (1e9, "31 years"),
    ],
)
def test_a_duration_is_said_in_the_largest_unit_that_fits(seconds: float, words: str) -> None:
    assert duration(seconds) == words
