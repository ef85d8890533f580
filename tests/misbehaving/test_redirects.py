"""Redirects without end, in circles, and to where nobody may go; names that change where they point."""

import pytest

from tests.doubles.fake_network import PUBLIC_ADDRESS
from tests.misbehaving.conftest import Crawl
from tests.misbehaving.raw_server import Asked, RawSite, answer, page

NAME = "www.example.com"


def test_a_chain_without_end_is_left_after_five(site: RawSite, crawl: Crawl) -> None:
    def onward(asked: Asked) -> list[bytes]:
        if asked.path.endswith((".txt", ".xml")):
            return answer("", 404)
        number = int(asked.path.strip("/"))
        return answer("", 302, location=f"/{number + 1}")

    site.otherwise = onward
    report = crawl("/0")
    assert report.pages == {"/0": ("too_many_redirects", "more than 5 redirects")}
    assert [path for path in site.asked if path[1:].isdigit()] == [f"/{number}" for number in range(6)]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_circle_is_left_after_one_round(status: int, site: RawSite, crawl: Crawl) -> None:
    site.redirects("/", "/a", status)
    site.redirects("/a", "/b", status)
    site.redirects("/b", "/a", status)
    outcome, reason = crawl().pages["/"]
    assert outcome == "too_many_redirects"
    assert "form a loop" in reason


@pytest.mark.parametrize("location", ["", "http://", "http://[", "javascript:alert(1)", "file:///etc/passwd", "//"])
def test_a_redirect_to_nowhere_has_its_reason(location: str, site: RawSite, crawl: Crawl) -> None:
    site.redirects("/", location)
    assert crawl().pages["/"][0] in ("http_error", "forbidden_address", "too_many_redirects")


def addresses_off_limits(site: RawSite, forbidden: list[RawSite]) -> list[str]:
    other, second, eighty, secure, six = (server.port for server in forbidden)
    return [
        f"http://127.0.0.1:{other}/",
        f"http://127.0.0.2:{second}/",
        f"http://127.66.0.1:{eighty}/",
        f"http://127.66.0.1:{secure}/",
        f"http://[::1]:{six}/",
        f"http://localhost:{site.port}/",
        f"http://127.1:{site.port}/",
        f"http://2130706433:{site.port}/",
        f"http://0x7f000001:{site.port}/",
        f"http://0:{eighty}/",
        f"http://[::ffff:127.0.0.1]:{eighty}/",
        f"http://[::ffff:7f42:1]:{eighty}/",
        f"http://[64:ff9b::7f42:1]:{eighty}/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/",
        "http://metadata.google.internal/",
        "http://10.0.0.1:8080/",
        f"http://user:secret@127.0.0.1:{site.port}/",
        f"http://user@127.0.0.1:{other}/",
        f"http://127.0.0.1:{site.port}@127.0.0.1:{other}/",
        f"http://127.0.0.1:{other}\\@127.0.0.1:{site.port}/",
        f"ftp://127.0.0.1:{other}/",
    ]


def test_no_redirect_leads_to_an_address_off_limits(site: RawSite, forbidden: list[RawSite], crawl: Crawl) -> None:
    targets = addresses_off_limits(site, forbidden)
    site.serves("/", page(*(f"/to/{number}" for number in range(len(targets)))))
    for number, target in enumerate(targets):
        site.redirects(f"/to/{number}", target)
    report = crawl()
    assert {path: outcome for path, (outcome, _) in report.pages.items() if path != "/"} == {
        f"/to/{number}": "forbidden_address" for number in range(len(targets))
    }
    assert not [path for path in site.asked if path == "/latest/meta-data/"]


def test_no_link_no_sitemap_and_no_base_leads_there_either(
    site: RawSite, forbidden: list[RawSite], crawl: Crawl
) -> None:
    targets = addresses_off_limits(site, forbidden)
    site.serves("/robots.txt", "".join(f"Sitemap: {target}map.xml\n" for target in targets), content_type="text/plain")
    base = f'<base href="http://127.0.0.1:{forbidden[0].port}/">'
    site.serves("/", page(*targets) + base + f'<a href="below">x</a><link rel="canonical" href="{targets[0]}">')
    report = crawl()
    assert set(report.pages) == {"/"}
    assert len(report.problems) == 6  # five that were refused, and that the rest was left


def test_robots_txt_may_not_redirect_there(site: RawSite, forbidden: list[RawSite], crawl: Crawl) -> None:
    site.redirects("/robots.txt", f"http://127.0.0.1:{forbidden[0].port}/robots.txt")
    site.serves("/", page())
    outcome, reason = crawl().pages["/"]
    assert outcome == "forbidden_address"
    assert reason.startswith("robots.txt: it redirects to an address that is not allowed")


@pytest.mark.parametrize(
    "second", ["127.0.0.1", "127.66.0.1", "169.254.169.254", "10.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0"]
)
def test_a_name_that_turns_private_is_left(second: str, site: RawSite, forbidden: list[RawSite], crawl: Crawl) -> None:
    """Each answer closes its connection, so each page asks the resolver anew."""
    site.serves("/", page("/a", "/b"))
    site.serves("/a", page())
    site.serves("/b", page())
    # robots.txt, two usual sitemaps and the start are asked with the public address.
    report = crawl(host=NAME, rounds={NAME: [[PUBLIC_ADDRESS]] * 4 + [[second]]})
    outcomes = {path: outcome for path, (outcome, _) in report.pages.items()}
    assert outcomes == {"/": "fetched", "/a": "forbidden_address", "/b": "forbidden_address"}
    assert set(report.dialled) == {(PUBLIC_ADDRESS, 80)}


def test_a_name_with_one_private_address_among_many_is_refused_whole(site: RawSite, crawl: Crawl) -> None:
    report = crawl(host=NAME, rounds={NAME: [[PUBLIC_ADDRESS, "10.0.0.1"]]})
    assert report.pages["/"][0] == "forbidden_address"
    assert report.dialled == ()


def test_a_name_that_leads_to_the_allowed_endpoint_is_still_refused(site: RawSite, crawl: Crawl) -> None:
    report = crawl(host=NAME, rounds={NAME: [["127.0.0.1"]]})
    assert report.pages["/"][0] == "forbidden_address"
    assert report.dialled == ()
