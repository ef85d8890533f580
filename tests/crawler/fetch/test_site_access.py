"""What a website asks of its readers goes to that website and nowhere else."""

from collections.abc import Iterator

import pytest

from crawler.address_policy import AddressPolicy
from crawler.fetch.fetch_result import Fetched, SiteAccess
from crawler.url_rules import check_url
from tests.crawler.conftest import MakeFetcher
from tests.doubles.loopback_site import LoopbackSite, Reply, running_site
from tests.every_row import every_row

HTML = {"Content-Type": "text/html"}
SECRET = {"Authorization": "Basic b3BlbnNlc2FtZQ=="}


@pytest.fixture
def elsewhere() -> Iterator[LoopbackSite]:
    """Another website: the same address, another port."""
    with running_site() as running:
        yield running


@every_row(
    ("start", "url", "is_sent"),
    [
        ("https://docs.example.com/a", "https://docs.example.com/b", True),
        ("https://example.com/", "https://www.example.com/", True),
        ("https://www.example.com/", "https://example.com/", True),
        ("http://docs.example.com/", "https://docs.example.com/", True),
        ("https://docs.example.com/", "http://docs.example.com/", False),
        ("https://docs.example.com/", "https://example.com/", False),
        ("https://example.com/", "https://docs.example.com/", False),
        ("https://example.com/", "https://example.com.evil.example/", False),
        ("https://example.com/", "https://example.com:8443/", False),
        ("https://example.com/", "https://badexample.com/", False),
    ],
)
def test_only_the_sites_own_hosts_are_sent_it(start: str, url: str, is_sent: bool) -> None:
    access = SiteAccess(check_url(start), SECRET)
    assert bool(access.headers_for(check_url(url))) == is_sent
    assert "b3BlbnNlc2FtZQ" not in repr(access)


async def test_it_goes_along_redirects_within_the_site_and_stays_behind_at_its_border(
    make_fetcher: MakeFetcher, site: LoopbackSite, elsewhere: LoopbackSite
) -> None:
    site.page("/", status=302, location="/in")
    site.page("/in", status=302, location=f"{elsewhere.origin}/out")
    elsewhere.page("/out", status=302, location=f"{site.origin}/back")
    site.page("/back", "<html>Back")
    both = AddressPolicy(site.policy.allowed | elsewhere.policy.allowed)
    fetcher = make_fetcher(policy=both).with_access(SiteAccess(check_url(site.origin, site.policy), SECRET))

    answer = await fetcher.fetch(f"{site.origin}/")

    assert isinstance(answer, Fetched)
    sent = [(path, headers.get("authorization")) for path, headers in site.asked + elsewhere.asked]
    assert sent == [
        ("/", SECRET["Authorization"]),
        ("/in", SECRET["Authorization"]),
        ("/back", SECRET["Authorization"]),
        ("/out", None),
    ]


async def test_no_other_reading_sends_it(make_fetcher: MakeFetcher, site: LoopbackSite) -> None:
    site.routes["/"] = lambda headers: Reply(200, b"<html>", HTML) if "authorization" in headers else Reply(401)
    fetcher = make_fetcher()
    mine = fetcher.with_access(SiteAccess(check_url(site.origin, site.policy), SECRET))
    assert isinstance(await mine.fetch(f"{site.origin}/"), Fetched)
    assert not isinstance(await fetcher.fetch(f"{site.origin}/"), Fetched)
