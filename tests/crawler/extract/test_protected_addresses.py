"""Mail addresses behind Cloudflare's protection."""

import pytest

from crawler.extract.extraction import extract_page
from crawler.extract.links import decoded
from tests.crawler.extract.test_extraction import FILLER
from tests.every_row import every_row

HIDDEN = "543d3a323b14312c35392438317a373b39"


@pytest.mark.parametrize(
    "link",
    [
        f'<a href="/cdn-cgi/l/email-protection" data-cfemail="{HIDDEN}">[email&#160;protected]</a>',
        f'<a href="/cdn-cgi/l/email-protection#{HIDDEN}"><span data-cfemail="{HIDDEN}">[email protected]</span></a>',
    ],
)
def test_a_protected_address_is_read(link: str) -> None:
    html = f"<main><h1>Contact</h1><p>{FILLER}</p><p>Write to {link}.</p></main>"
    page = extract_page(html.encode(), "https://example.com/", None)
    assert page.markdown.endswith("Write to [info@example.com](mailto:info@example.com).")
    assert page.links == ()


@every_row("digits", ["", "54", "5", "zz", "5400", "54ff", "546a"])
def test_what_encodes_no_address_is_none(digits: str) -> None:
    assert decoded(digits) == ""
