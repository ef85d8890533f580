"""A misbehaving server, servers that nobody may reach, and the real crawler in a process of its own.

Whatever a test is about, `crawl` holds every crawl to the same laws: it ends in time, says why in words, gives each
page a reason, dials nothing but the server, and its memory stays flat.
"""

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

import pytest

from tests.doubles.fake_network import PUBLIC_ADDRESS
from tests.misbehaving.crawling_child import CrawlOrder, CrawlReport, serve_crawls
from tests.misbehaving.raw_server import RawSite, page, raw_site

MAX_GROWTH_BYTES = 64 * 1024 * 1024
MAX_SECONDS = 20.0

Crawl = Callable[..., CrawlReport]


@pytest.fixture(scope="session")
def child() -> Iterator[Connection]:
    """A crawler that has read one good site."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve_crawls, args=(theirs,))  # not a daemon: it has children of its own
    process.start()
    theirs.close()
    with raw_site() as good:
        good.serves("/", page("/a"))
        good.serves("/a", page("/"))
        ours.send(CrawlOrder(f"{good.origin}/", good.port))
        report = ours.recv()
    assert {outcome for outcome, _ in report.pages.values()} == {"fetched"}
    yield ours
    ours.close()
    process.join(10)
    assert process.exitcode == 0


@pytest.fixture
def site() -> Iterator[RawSite]:
    """An empty web server, the only one that a crawl may reach."""
    with raw_site() as site:
        yield site


@pytest.fixture
def forbidden() -> Iterator[list[RawSite]]:
    """Servers on other loopback addresses and ports; a request to one fails the test."""
    with ExitStack() as stack:
        places = (("127.0.0.1", 0), ("127.0.0.2", 0), ("127.66.0.1", 8080), ("127.66.0.1", 8443), ("::1", 0))
        sites = [stack.enter_context(raw_site(*place)) for place in places]
        yield sites
        assert [site.asked for site in sites] == [[]] * len(sites)


@pytest.fixture
def crawl(child: Connection, site: RawSite) -> Crawl:
    def crawl(path: str = "/", host: str = "", **changes: Any) -> CrawlReport:
        """Crawl the site from `path`; `host` is a public name for it, on port 80."""
        origin = f"http://{host}" if host else site.origin
        child.send(replace(CrawlOrder(f"{origin}{path}", site.port), **changes))
        report: CrawlReport = child.recv()
        assert set(report.dialled) <= {("127.0.0.1", site.port), (PUBLIC_ADDRESS, 80), (PUBLIC_ADDRESS, 443)}
        assert report.seconds < MAX_SECONDS
        assert report.stop_reason.endswith(".")
        assert all(reason for outcome, reason in report.pages.values() if outcome != "fetched")
        assert all(reason for _, reason in report.problems)
        assert report.growth_bytes <= MAX_GROWTH_BYTES, f"{report.growth_bytes / 2**20:.0f} MiB"
        assert report.reader_bytes <= 4 * MAX_GROWTH_BYTES, f"{report.reader_bytes / 2**20:.0f} MiB"
        return replace(
            report,
            pages={url.removeprefix(origin): page for url, page in report.pages.items()},
            texts={url.removeprefix(origin): text for url, text in report.texts.items()},
        )

    return crawl
