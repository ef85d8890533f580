"""What a website calls itself on its start page."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from crawler.extract.metadata.page_metadata import site_name
from tests.every_row import every_row

_SAID = '<meta property="og:site_name" content="Lantern Lamps">'


@every_row(
    ("head", "name"),
    [
        pytest.param(f"{_SAID}<title>Home</title>", "Lantern Lamps", id="og:site_name"),
        pytest.param('<meta name="application-name" content="Lantern">', "Lantern", id="application-name"),
        pytest.param("<title>Lantern Lamps</title>", "Lantern Lamps", id="the title"),
        pytest.param("<title>Home | Lantern</title>", "Lantern", id="the title without the page's own name"),
        pytest.param("<title>Oak desk lamps - Lantern-Lamps</title>", "Lantern-Lamps", id="as the host is called"),
        pytest.param("<title>Lanterns &amp; more | Since 1980</title>", "Lanterns & more", id="the first of two parts"),
        pytest.param("<title>Welcome</title>", "", id="a word of every start page"),
        pytest.param(f"<title>{'very ' * 20}long</title>", "", id="a sentence"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_a_site_is_called_by_what_it_says(head: str, name: str) -> None:
    tree = LexborHTMLParser(f"<html><head>{head}</head><body><h1>Welcome</h1></body></html>")
    assert site_name(tree, "https://www.lanternlamps.example/") == name
