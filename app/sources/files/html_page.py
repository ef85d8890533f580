"""A saved web page, read as the crawler reads one."""

from dataclasses import replace

from app.sources.files.refusal import FileRefused
from crawler.errors import ExtractionFailed
from crawler.extract.extraction import extract_page
from crawler.extract.page import Page

# Links in the page may be relative; their targets do not matter here.
_NOWHERE = "https://file.invalid/"


def read_html(name: str, body: bytes) -> Page:
    """Raises FileRefused."""
    try:
        page = extract_page(body, _NOWHERE, None)
    except ExtractionFailed as error:
        raise FileRefused(f"cannot be read: {error.reason}. Save it again.") from error
    title = "" if page.title == "file.invalid" else page.title
    return replace(page, url=name, canonical_url=name, title=title, links=())
