"""PDF and Office files that a website links to, where a crawl is told to read them."""

import pytest

from crawler.crawl.page_visit import FileReading
from crawler.discover.crawl_seeds import SeedKind
from crawler.errors import ExtractionFailed
from crawler.extract.page import Outcome, Page
from tests.crawler.crawl.small_site import Run, linked
from tests.doubles.loopback_site import LoopbackSite

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
UNTOLD = "application/octet-stream"


class NamingExtractor:
    """A file's text is its media type."""

    async def extract(self, body: bytes, url: str, charset: str | None, media_type: str = "text/html") -> Page:
        if b"locked" in body:
            raise ExtractionFailed("The file is protected by a password.")
        return Page(url, url, "", f"{media_type} {len(body)}")


FILES = FileReading(NamingExtractor(), max_bytes=1000)


async def test_files_are_read_beside_pages(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", linked("/a.pdf", "/b.docx", "/download?id=3"))
    site.page("/a.pdf", b"%PDF-1.7 a", content_type=PDF)
    site.page("/b.docx", b"PK\x03\x04 word/document", content_type=UNTOLD)
    site.page("/download?id=3", b"PK\x03\x04 word/document", content_type=DOCX)
    await crawl(files=FILES)
    assert set(crawl.outcomes.values()) == {Outcome.FETCHED}
    read = {result.url.removeprefix(site.origin): result.page.markdown for result in crawl.results if result.page}
    assert read["/a.pdf"] == f"{PDF} 10"
    assert read["/b.docx"].startswith(UNTOLD)
    assert read["/download?id=3"].startswith(DOCX)


@pytest.mark.parametrize(
    ("path", "body", "content_type", "outcome"),
    [
        ("/a.pdf", b"<html>Please sign in", PDF, Outcome.NOT_HTML),
        ("/a", b"%PDF-1.7", "text/html", Outcome.NOT_HTML),
        ("/a", b"PK\x03\x04", UNTOLD, Outcome.NOT_HTML),
        ("/a.zip", b"PK\x03\x04", "application/zip", Outcome.NOT_HTML),
        ("/a.pdf", b"%PDF-1.7" + b"." * 1000, PDF, Outcome.TOO_LARGE),
        ("/a.pdf", b"%PDF-1.7 locked", PDF, Outcome.UNREADABLE_FILE),
        ("/a.pdf", b"%PDF-1.7", "", Outcome.FETCHED),
    ],
    ids=[
        "a page that calls itself a file",
        "a file that calls itself a page",
        "a file of which neither type nor address says so",
        "another kind of file",
        "a file that is too large",
        "a file that cannot be read",
        "a file without a type",
    ],
)
async def test_type_address_and_bytes_have_to_agree(
    site: LoopbackSite, crawl: Run, path: str, body: bytes, content_type: str, outcome: Outcome
) -> None:
    site.page(path, body, content_type=content_type)
    await crawl(path, SeedKind.PAGE, files=FILES)
    assert crawl.outcomes == {path: outcome}


async def test_a_file_that_asks_not_to_be_indexed_is_left_out(site: LoopbackSite, crawl: Run) -> None:
    site.page("/a.pdf", b"%PDF-1.7", content_type=PDF, x_robots_tag="noindex")
    await crawl("/a.pdf", SeedKind.PAGE, files=FILES)
    assert crawl.outcomes == {"/a.pdf": Outcome.NOINDEX}
