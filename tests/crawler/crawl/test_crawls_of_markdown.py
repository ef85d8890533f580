"""Pages that come as Markdown stand for the pages that people read."""

from crawler.discover.crawl_seeds import SeedKind
from crawler.extract.page import Outcome
from tests.crawler.crawl.small_site import Run, linked
from tests.doubles.loopback_site import LoopbackSite

MARKDOWN = "text/markdown"


async def test_an_llms_txt_leads_to_markdown_that_stands_for_its_pages(site: LoopbackSite, crawl: Run) -> None:
    site.page(
        "/llms.txt",
        "# Shop\n\n- [A](/a.md)\n- [B](/b.html.md)\n- [C](/c)\n- [D](/d.md)\n- [E](/e.md)\n",
        content_type="text/plain",
    )
    site.page("/a.md", "words of a", content_type=MARKDOWN)
    site.page("/a", linked())
    site.page("/b.html.md", "words of b", content_type="text/plain; charset=utf-8")
    site.page("/b.html", linked())
    site.page("/c", linked())
    site.page("/d.md", "words of d", content_type=MARKDOWN)  # and no page beside it
    site.page("/e.md", "words of e", content_type=MARKDOWN)
    site.page("/e.html", linked())
    await crawl("/llms.txt", SeedKind.SITEMAP)
    cited = {result.url: result.page.canonical_url for result in crawl.results if result.page}
    origin = site.origin
    assert cited == {
        f"{origin}/a.md": f"{origin}/a",
        f"{origin}/b.html.md": f"{origin}/b.html",
        f"{origin}/c": f"{origin}/c",
        f"{origin}/d.md": f"{origin}/d.md",
        f"{origin}/e.md": f"{origin}/e.html",
    }


async def test_a_page_and_its_markdown_are_one(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", linked("/a", "/a.md", "/notes.txt"))
    site.page("/a", linked())
    site.page("/a.md", "words of a", content_type=MARKDOWN)
    site.page("/notes.txt", "plain", content_type="text/plain")
    await crawl(concurrency=1)
    assert crawl.outcomes == {
        "/": Outcome.FETCHED,
        "/a": Outcome.FETCHED,
        "/a.md": Outcome.DUPLICATE,
        "/notes.txt": Outcome.NOT_HTML,
    }


async def test_markdown_that_names_a_page_of_another_website_stands_for_itself(site: LoopbackSite, crawl: Run) -> None:
    site.page("/a.md", "words", content_type=MARKDOWN, link='<https://other.example/>; rel="canonical"')
    await crawl("/a.md", SeedKind.PAGE)
    [result] = crawl.results
    assert result.page
    assert result.page.canonical_url == f"{site.origin}/a.md"
