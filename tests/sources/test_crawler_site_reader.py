"""Sources read by the real crawler from a real web server on loopback."""

from collections.abc import AsyncIterator, Mapping, Sequence

import anyio
import pytest

from app.core.errors import InvalidInput
from app.knowledge.document import PageContent
from app.sources import kinds
from app.sources.files.file_reader import PooledFileReader
from app.sources.runs.crawler_site_reader import CrawlerSiteReader
from app.sources.runs.site_reader import QueuedPage, ReadPage, RunSummary
from app.sources.source import AccessKind, SourceAccess, SourceConfig
from crawler.crawl.page_visit import FileReading
from crawler.extract.extraction import extract_page
from crawler.extract.page import Page
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.loopback_site import LoopbackSite, Reply, Route
from tests.doubles.sample_files import a_pdf, an_xlsx


class SameProcessExtractor:
    async def extract(self, body: bytes, url: str, charset: str | None, media_type: str = "text/html") -> Page:
        return extract_page(body, url, charset, media_type=media_type)


class MemoryPages:
    """A `PageQueue` that may be handed to a second reading."""

    def __init__(self, *waiting: QueuedPage) -> None:
        self.waiting = list(waiting)
        self.seen = {page.url for page in waiting}

    async def add(self, pages: Sequence[QueuedPage]) -> int:
        fresh = [page for page in pages if page.url not in self.seen]
        self.seen |= {page.url for page in fresh}
        self.waiting += fresh
        return len(fresh)

    async def take(self, limit: int) -> list[QueuedPage]:
        taken, self.waiting = self.waiting[:limit], self.waiting[limit:]
        return taken

    async def seen_count(self) -> int:
        return len(self.seen)


def html(title: str, *links: str, text: str = "It is told here in one plain sentence that anybody can read.") -> str:
    anchors = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return (
        f"<html lang=en><head><title>{title}</title></head><body><nav><ul>{anchors}</ul></nav>"
        f'<main><h1>{title}</h1><p>{title}: {text}</p><h2 id="more">More about it</h2><p>{text} {text}</p></main>'
    )


@pytest.fixture
async def reader(site: LoopbackSite) -> AsyncIterator[CrawlerSiteReader]:
    async with PooledFileReader() as files:
        opened = CrawlerSiteReader(
            SameProcessExtractor(),
            FixedClock(),
            allowed=[("127.0.0.1", site.port)],
            min_delay_seconds=0,
            files=FileReading(files, max_bytes=1024**2),
        )
        yield opened
        await opened.aclose()


async def read(
    reader: CrawlerSiteReader,
    config: SourceConfig,
    queue: MemoryPages | None = None,
    cancel_after: int = 1000,
    access: SourceAccess | None = None,
    only_queued: bool = False,
) -> tuple[dict[str, ReadPage], RunSummary]:
    pages: dict[str, ReadPage] = {}

    async def settle(page: ReadPage) -> None:
        assert page.url not in pages
        pages[page.url] = page

    async def is_cancelled() -> bool:
        return len(pages) >= cancel_after

    with anyio.fail_after(120):
        summary = await reader.read(
            config, queue or MemoryPages(), settle, is_cancelled, only_queued=only_queued, access=access
        )
    return pages, summary


async def test_a_site_is_read_by_its_links_and_its_sitemap(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    site.page("/", html("Home", "/about"))
    site.page("/about", html("About"))
    site.page("/hidden", html("Hidden"))
    listed = f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{site.origin}/hidden</loc></url></urlset>"
    site.page("/sitemap.xml", listed, content_type="application/xml")

    pages, summary = await read(reader, SourceConfig(kinds.SITE, "Shop", url=f"{site.origin}/"))

    assert {page.status for page in pages.values()} == {"fetched"}
    assert set(pages) == {f"{site.origin}{path}" for path in ("/", "/about", "/hidden")}
    assert summary == RunSummary("Every page of the source was visited.", is_complete=True)
    content = pages[f"{site.origin}/about"].content
    assert isinstance(content, PageContent)
    assert (content.title, content.language, content.site) == ("About", "en", "Shop")
    assert [(heading.text, heading.anchor) for heading in content.headings][-1] == ("More about it", "more")


async def test_a_site_is_read_by_the_robots_txt_of_now(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    config = SourceConfig(kinds.SITE, "Shop", url=f"{site.origin}/")
    site.page("/", html("Home"))
    found = []
    for robots, status in (("User-agent: *\nDisallow: /", 200), ("", 404), ("Disallow: /", 503), ("", 200)):
        site.page("/robots.txt", robots, status, content_type="text/plain")
        pages, _ = await read(reader, config)
        found += [page.status for page in pages.values()]
    assert found == ["blocked_by_robots", "fetched", "blocked_by_robots", "fetched"]
    seen = site.paths.count("/robots.txt")
    await read(reader, config, MemoryPages(QueuedPage(f"{site.origin}/", depth=0)), only_queued=True)
    assert site.paths.count("/robots.txt") == seen


async def test_a_site_stays_within_its_folder(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    site.page("/docs/index.html", html("Docs", "/docs/a", "/shop", "/docs/old/b"))
    site.page("/docs/a", html("A"))
    config = SourceConfig(kinds.SITE, "Docs", url=f"{site.origin}/docs/index.html", exclude=("/docs/old/*",))

    pages, _ = await read(reader, config)

    assert set(pages) == {f"{site.origin}/docs/index.html", f"{site.origin}/docs/a"}


async def test_a_feed_is_the_pages_of_its_entries(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    site.page("/blog/first", html("First", "/about"))
    site.page("/news", html("News"))
    entries = f"<item><link>/blog/first</link></item><item><link>{site.origin}/news</link></item>"
    elsewhere = "<item><link>https://elsewhere.example/</link></item>"
    feed = f"<rss version='2.0'><channel><link>{site.origin}/</link>{entries}{elsewhere}</channel></rss>"
    site.page("/feed.xml", feed, content_type="application/rss+xml")

    pages, summary = await read(reader, SourceConfig(kinds.FEED, "Blog", url=f"{site.origin}/feed.xml"))

    assert {url: page.status for url, page in pages.items()} == {
        f"{site.origin}/blog/first": "fetched",
        f"{site.origin}/news": "fetched",
    }
    assert summary.is_complete


async def test_a_page_that_is_no_feed_is_named(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    site.page("/", html("Home"))
    with pytest.raises(InvalidInput, match="not a feed"):
        await read(reader, SourceConfig(kinds.FEED, "Blog", url=f"{site.origin}/"))


async def test_one_page_is_one_page(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    site.page("/docs/a", html("A", "/docs/b"))

    pages, _ = await read(reader, SourceConfig(kinds.URL, "A", url=f"{site.origin}/docs/a"))

    assert list(pages) == [f"{site.origin}/docs/a"]


async def test_the_questions_that_a_page_declares_are_known(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    asked = '{"@type": "FAQPage", "mainEntity": [{"@type": "Question", "name": "Is it free?"}]}'
    script = f'<script type="application/ld+json">{asked}</script>'
    pair = '<main><div id="free">Is it free?</div><p>Yes, in every country that we send to.</p></main>'
    site.page("/faq", f"<html><head><title>Help</title>{script}</head><body>{pair}</body></html>")

    pages, _ = await read(reader, SourceConfig(kinds.URL, "A", url=f"{site.origin}/faq"))

    content = pages[f"{site.origin}/faq"].content
    assert content is not None
    assert [heading.anchor for heading in content.headings if heading.is_question] == ["free"]


async def test_what_a_page_says_of_its_product_is_learnt_as_text(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    product = '{"@type": "Product", "name": "Shoe", "offers": {"price": "189.50", "priceCurrency": "EUR"}}'
    data = f'<script type="application/ld+json">{product}</script>'
    site.page("/shoe", html("Shoe").replace("</head>", f"{data}</head>"))
    pages, _ = await read(reader, SourceConfig(kinds.URL, "Shoe", url=f"{site.origin}/shoe"))
    content = pages[f"{site.origin}/shoe"].content
    assert content is not None
    assert "Shoe. Price: 189.50 EUR." in content.markdown


async def test_an_unchanged_page_is_not_sent_again(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    def answer(headers: object) -> Reply:
        assert isinstance(headers, dict)
        if headers.get("if-none-match") == '"v1"':
            return Reply(304)
        return Reply(200, html("Home").encode(), {"Content-Type": "text/html", "ETag": '"v1"'})

    site.routes["/"] = answer
    config = SourceConfig(kinds.URL, "Home", url=f"{site.origin}/")
    first, _ = await read(reader, config)
    known = MemoryPages(QueuedPage(f"{site.origin}/", 0, etag=first[f"{site.origin}/"].etag))

    second, _ = await read(reader, config, known)

    assert (second[f"{site.origin}/"].status, second[f"{site.origin}/"].http_status) == ("unchanged", 304)
    assert second[f"{site.origin}/"].content is None


async def test_files_that_a_site_links_to_are_read_where_the_source_says_so(
    reader: CrawlerSiteReader, site: LoopbackSite
) -> None:
    site.page("/docs/", html("Docs", "/uploads/manual.pdf", "/uploads/prices.xlsx", "/docs/broken.pdf"))
    site.page("/uploads/manual.pdf", a_pdf([["Hello."], ["Press the button."]]), content_type="application/pdf")
    site.page(
        "/uploads/prices.xlsx",
        an_xlsx({"Plans": [("Plan", "Price"), ("Basic", 5)]}),
        content_type="application/octet-stream",
    )
    site.page("/docs/broken.pdf", b"%PDF-1.7 and no more", content_type="application/pdf")
    config = SourceConfig(kinds.SITE, "Docs", url=f"{site.origin}/docs/", read_files=True)

    pages, summary = await read(reader, config)

    assert summary.is_complete
    manual, prices = (pages[f"{site.origin}/uploads/{name}"].content for name in ("manual.pdf", "prices.xlsx"))
    assert manual
    assert prices
    assert (manual.url, manual.title, manual.site) == (f"{site.origin}/uploads/manual.pdf", "manual", "Docs")
    assert [heading.anchor for heading in manual.headings] == ["page=1", "page=2"]
    assert "| Basic | 5 |" in prices.markdown
    broken = pages[f"{site.origin}/docs/broken.pdf"]
    assert (broken.status, broken.reason[:25]) == ("unreadable_file", "The file is a damaged PDF")


async def test_without_that_a_file_says_what_would_read_it(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    site.page("/", html("Home", "/manual.pdf"))
    site.page("/manual.pdf", a_pdf([["Hello."]]), content_type="application/pdf")
    pages, _ = await read(reader, SourceConfig(kinds.SITE, "Shop", url=f"{site.origin}/"))
    found = pages[f"{site.origin}/manual.pdf"]
    assert found.status == "not_html"
    assert found.reason.endswith("to read it, turn on PDF and Office files in the source's settings")


async def test_a_site_behind_a_password_is_read_with_it_and_by_no_other_source(
    reader: CrawlerSiteReader, site: LoopbackSite
) -> None:
    access = SourceAccess(AccessKind.BASIC, "docent", "open sesame")

    def behind(page: str, content_type: str = "text/html") -> Route:
        def answer(headers: Mapping[str, str]) -> Reply:
            is_let_in = headers.get("authorization") == access.headers["Authorization"]
            return Reply(200, page.encode(), {"Content-Type": content_type}) if is_let_in else Reply(401)

        return answer

    site.routes["/"] = behind(html("Home", "/a", "/private"))
    site.routes["/a"] = behind(html("A"))
    site.routes["/private"] = behind(html("Private"))
    site.routes["/robots.txt"] = behind("User-agent: *\nDisallow: /private", "text/plain")
    config = SourceConfig(kinds.SITE, "Shop", url=f"{site.origin}/")

    pages, _ = await read(reader, config, access=access)
    others, _ = await read(reader, config)

    ends = {url.removeprefix(site.origin): page.status for url, page in pages.items()}
    assert ends == {"/": "fetched", "/a": "fetched", "/private": "blocked_by_robots"}
    assert [page.status for page in others.values()] == ["login_wall"]


async def test_what_is_gone_says_so(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    site.page("/", html("Home", "/gone"))

    pages, _ = await read(reader, SourceConfig(kinds.SITE, "Shop", url=f"{site.origin}/"))

    assert (pages[f"{site.origin}/gone"].status, pages[f"{site.origin}/gone"].http_status) == ("not_found", 404)
    assert pages[f"{site.origin}/gone"].reason


async def test_a_full_budget_is_told_and_is_not_complete(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    site.page("/", html("Home", "/a", "/b", "/c"))
    for name in "abc":
        site.page(f"/{name}", html(name * 5))

    pages, summary = await read(reader, SourceConfig(kinds.SITE, "Shop", url=f"{site.origin}/", max_pages=2))

    assert len(pages) == 2
    assert summary == RunSummary("The limit of 2 pages was reached; there are more.", is_complete=False)


async def test_a_cancelled_reading_can_be_gone_on_with(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    site.page("/", html("Home", "/a", "/b", "/c"))
    for name in "abc":
        site.page(f"/{name}", html(name * 5))
    config, queue = SourceConfig(kinds.SITE, "Shop", url=f"{site.origin}/"), MemoryPages()

    first, summary = await read(reader, config, queue, cancel_after=1)
    second, _ = await read(reader, config, queue)

    assert summary == RunSummary("The reading was cancelled.", is_complete=False)
    assert not first.keys() & second.keys()
    assert len(first) + len(second) == 4


async def test_a_site_that_is_away_says_why(reader: CrawlerSiteReader, site: LoopbackSite) -> None:
    site.page("/", "down", status=404)

    _, summary = await read(reader, SourceConfig(kinds.URL, "Shop", url=f"{site.origin}/"))

    assert summary.stop_reason.startswith("No page could be read: ")
    assert not summary.is_complete


@pytest.mark.parametrize(
    "url",
    ["ftp://shop.example/", "not a url", "http://10.0.0.1/", "http://169.254.169.254/latest/", "http://127.0.0.1:1/"],
)
async def test_a_url_that_must_not_be_read_is_refused_with_the_reason(reader: CrawlerSiteReader, url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await read(reader, SourceConfig(kinds.SITE, "Shop", url=url))

    assert refused.value.field == "url"


async def test_without_being_allowed_loopback_is_refused(site: LoopbackSite) -> None:
    reader = CrawlerSiteReader(SameProcessExtractor(), FixedClock())
    with pytest.raises(InvalidInput):
        await read(reader, SourceConfig(kinds.SITE, "Shop", url=f"{site.origin}/"))
    await reader.aclose()

    assert site.asked == []


async def test_a_sitemap_that_lists_nothing_is_refused_with_the_reason(
    reader: CrawlerSiteReader, site: LoopbackSite
) -> None:
    with pytest.raises(InvalidInput, match=r"sitemap\.xml"):
        await read(reader, SourceConfig(kinds.SITEMAP, "Shop", url=f"{site.origin}/sitemap.xml"))
