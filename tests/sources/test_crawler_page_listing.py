"""What a website lists, asked of a real web server on loopback, without reading a page."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from app.core.errors import InvalidInput
from app.sources import kinds
from app.sources.awaited_websites import CrawlerPageListing
from app.sources.runs.site_reader import ListedPage
from app.sources.source import SourceConfig
from tests.doubles.loopback_site import LoopbackSite, Reply


@pytest.fixture
async def listing(site: LoopbackSite) -> AsyncIterator[CrawlerPageListing]:
    async with CrawlerPageListing([("127.0.0.1", site.port)], min_delay_seconds=0) as opened:
        yield opened


def sitemap(site: LoopbackSite) -> None:
    entries = "".join(
        f"<url><loc>{url}</loc>{lastmod}</url>"
        for url, lastmod in (
            (f"{site.origin}/docs/a", "<lastmod>2026-02-03</lastmod>"),
            (f"{site.origin}/docs/b?utm_source=x", ""),
            (f"{site.origin}/shop", ""),
            ("https://elsewhere.example/docs/c", ""),
        )
    )
    body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    site.routes["/sitemap.xml"] = lambda _: Reply(200, body.encode(), {"Content-Type": "application/xml"})


async def test_pages_in_scope_are_listed_as_a_reading_spells_them_with_their_dates(
    site: LoopbackSite, listing: CrawlerPageListing
) -> None:
    sitemap(site)
    found = await listing.look(SourceConfig(kinds.SITE, "Docs", url=f"{site.origin}/docs"))

    assert list(found.pages) == [
        ListedPage(f"{site.origin}/docs"),
        ListedPage(f"{site.origin}/docs/a", datetime(2026, 2, 3, tzinfo=UTC)),
        ListedPage(f"{site.origin}/docs/b"),
    ]
    assert list(found.problems) == []
    assert {path for path, _ in site.asked} <= {"/robots.txt", "/sitemap.xml", "/sitemap_index.xml"}


async def test_a_list_that_cannot_be_read_is_named(site: LoopbackSite, listing: CrawlerPageListing) -> None:
    found = await listing.look(SourceConfig(kinds.SITEMAP, "Docs", url=f"{site.origin}/sitemap.xml"))
    assert list(found.pages) == []
    [problem] = found.problems
    assert problem.startswith(f"{site.origin}/sitemap.xml: ")


async def test_a_private_address_is_not_asked(site: LoopbackSite) -> None:
    async with CrawlerPageListing() as listing:
        with pytest.raises(InvalidInput):
            await listing.look(SourceConfig(kinds.SITEMAP, "Docs", url=f"{site.origin}/sitemap.xml"))
    assert site.asked == []
