"""robots.txt as nobody should serve it."""

import pytest

from tests.misbehaving.conftest import Crawl
from tests.misbehaving.raw_server import Asked, RawSite, answer, head, page


@pytest.fixture(autouse=True)
def small_site(site: RawSite) -> None:
    site.serves("/", page("/a", "/private"))
    site.serves("/a", page())
    site.serves("/private", page())


def outcomes(crawl: Crawl) -> dict[str, str]:
    return {path: outcome for path, (outcome, _) in crawl().pages.items()}


ALL_READ = {"/": "fetched", "/a": "fetched", "/private": "fetched"}


def test_of_a_huge_one_the_first_half_megabyte_counts(site: RawSite, crawl: Crawl) -> None:
    rules = b"User-agent: *\nDisallow: /private\n" + b"# filler\n" * 200_000 + b"Disallow: /\n"
    site.serves("/robots.txt", rules, content_type="text/plain")
    assert outcomes(crawl) == {**ALL_READ, "/private": "blocked_by_robots"}


def test_one_without_end_counts_as_far_as_it_is_read(site: RawSite, crawl: Crawl) -> None:
    start = head(content_type="text/plain") + b"User-agent: *\nDisallow: /private\n"
    site.routes["/robots.txt"] = site.without_end(start, b"# more\n" * 4000)
    assert outcomes(crawl) == {**ALL_READ, "/private": "blocked_by_robots"}


def test_many_rules_with_many_wildcards_are_matched_in_time(site: RawSite, crawl: Crawl) -> None:
    rules = "User-agent: *\n" + "".join(f"Disallow: /{'*a' * 40}{n}$\n" for n in range(3000))
    site.serves("/robots.txt", rules, content_type="text/plain")
    assert outcomes(crawl) == ALL_READ


def test_many_agents_are_read_in_time(site: RawSite, crawl: Crawl) -> None:
    site.serves("/robots.txt", "".join(f"User-agent: bot{n}\n" for n in range(25_000)), content_type="text/plain")
    assert outcomes(crawl) == ALL_READ


@pytest.mark.parametrize("body", [bytes(range(256)) * 1000, b"\x89PNG\r\n\x1a\n" + b"\0" * 9000, b"\xff\xfe" * 5000])
def test_a_binary_one_has_no_rules(body: bytes, site: RawSite, crawl: Crawl) -> None:
    site.serves("/robots.txt", body, content_type="application/octet-stream")
    assert outcomes(crawl) == ALL_READ


def test_a_page_in_its_place_has_no_rules(site: RawSite, crawl: Crawl) -> None:
    site.serves("/robots.txt", page("/a"))
    assert outcomes(crawl) == ALL_READ


@pytest.mark.parametrize("status", [500, 503, 599])
def test_while_it_fails_nothing_is_read(status: int, site: RawSite, crawl: Crawl) -> None:
    site.serves("/robots.txt", "", status)
    report = crawl()
    assert report.pages["/"][0] == "blocked_by_robots"
    assert report.stop_reason.startswith("No page could be read: robots.txt could not be read: the server answered")
    assert not [path for path in site.asked if path != "/robots.txt"]


def test_while_it_drips_nothing_is_read(site: RawSite, crawl: Crawl) -> None:
    site.routes["/robots.txt"] = site.without_end(head(content_type="text/plain"), b"#", pause_seconds=0.05)
    assert outcomes(crawl) == {"/": "timed_out"}


def test_one_that_redirects_for_ever_is_none(site: RawSite, crawl: Crawl) -> None:
    site.routes["/robots.txt"] = lambda _: answer("", 302, location="/r/0")

    def onward(asked: Asked) -> list[bytes]:
        if not asked.path.startswith("/r/"):
            return answer("", 404)
        return answer("", 302, location=f"/r/{int(asked.path[3:]) + 1}")

    site.otherwise = onward
    assert outcomes(crawl) == ALL_READ


@pytest.mark.parametrize("delay", ["1e309", "nan", "-1", "99999999999", "soon"])
def test_an_odd_crawl_delay_stops_nobody_for_ever(delay: str, site: RawSite, crawl: Crawl) -> None:
    rules = f"User-agent: otherbot\nCrawl-delay: {delay}\nUser-agent: *\nCrawl-delay: 0.1\n"
    site.serves("/robots.txt", rules, content_type="text/plain")
    assert outcomes(crawl) == ALL_READ
