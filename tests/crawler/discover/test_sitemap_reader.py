import gzip
import threading

import pytest

from crawler.discover.sitemap import SitemapLimits, SitemapReader
from crawler.extract.page import Outcome
from crawler.fetch.fetch_result import Refusal
from crawler.fetch.fetcher import Fetcher
from tests.doubles.loopback_site import LoopbackSite
from tests.doubles.threads_of import threads_of


def index(*urls: str) -> str:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>"


def urlset(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


def reader(fetcher: Fetcher, limits: SitemapLimits | None = None) -> SitemapReader:
    return SitemapReader(fetcher, None, limits or SitemapLimits())


async def test_an_index_leads_to_the_pages_of_all_its_files(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/sitemap.xml", index("/one.xml", f"{site.origin}/two.xml.gz", "/missing.xml"))
    site.page("/one.xml", urlset("/a", "/b"))
    site.page("/two.xml.gz", gzip.compress(urlset("/b", "/c").encode()), content_type="application/gzip")
    reading = await reader(fetcher).read([f"{site.origin}/sitemap.xml"])
    assert [entry.url for entry in reading.entries] == [f"{site.origin}/{name}" for name in "abc"]
    assert [url for url, _ in reading.problems] == [f"{site.origin}/missing.xml"]


async def test_an_index_that_names_itself_is_read_once(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/sitemap.xml", index("/sitemap.xml"))
    await reader(fetcher).read([f"{site.origin}/sitemap.xml"])
    assert site.paths == ["/sitemap.xml"]


async def test_indexes_without_end_are_left(site: LoopbackSite, fetcher: Fetcher) -> None:
    for depth in range(9):
        site.page(f"/{depth}.xml", index(f"/{depth + 1}.xml"))
    await reader(fetcher, SitemapLimits(max_index_depth=2)).read([f"{site.origin}/0.xml"])
    assert site.paths == ["/0.xml", "/1.xml", "/2.xml"]


async def test_only_so_many_files_and_pages_are_read(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/sitemap.xml", index(*(f"/{n}.xml" for n in range(9))))
    for n in range(9):
        site.page(f"/{n}.xml", urlset(f"/{n}/a", f"/{n}/b"))
    few_files = await reader(fetcher, SitemapLimits(max_files=3)).read([f"{site.origin}/sitemap.xml"])
    assert len(few_files.entries) == 4
    assert few_files.problems[-1][1] == "7 more sitemap files were not read"
    few_pages = await reader(fetcher, SitemapLimits(max_urls=3)).read([f"{site.origin}/sitemap.xml"])
    assert len(few_pages.entries) == 3


async def test_a_file_that_is_too_large_or_refused_is_a_problem_not_an_end(
    site: LoopbackSite, fetcher: Fetcher
) -> None:
    async def refusal(url: str) -> Refusal | None:
        return Refusal(Outcome.BLOCKED_BY_ROBOTS, "not this one") if url.endswith("/secret.xml") else None

    site.page("/large.xml", urlset(*(f"/{n}" for n in range(999))))
    site.page("/small.xml", urlset("/a"))
    limits = SitemapLimits(max_bytes=1000)
    urls = [f"{site.origin}/{name}.xml" for name in ("large", "secret", "small")]
    reading = await SitemapReader(fetcher, refusal, limits).read(urls)
    assert [entry.url for entry in reading.entries] == [f"{site.origin}/a"]
    assert [url for url, _ in reading.problems] == urls[:2]


async def test_addresses_off_limits_are_dropped_from_a_sitemap(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/sitemap.xml", urlset("http://169.254.169.254/", "file:///etc/passwd", "/a"))
    reading = await reader(fetcher).read([f"{site.origin}/sitemap.xml"])
    assert [entry.url for entry in reading.entries] == [f"{site.origin}/a"]


async def test_addresses_are_resolved_beside_the_event_loop(
    site: LoopbackSite, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.page("/sitemap.xml", urlset("/a", "/b"))
    resolving = threads_of(monkeypatch, "crawler.discover.sitemap", "resolve_url")
    assert len((await reader(fetcher).read([f"{site.origin}/sitemap.xml"])).entries) == 2
    assert resolving
    assert threading.get_ident() not in resolving
