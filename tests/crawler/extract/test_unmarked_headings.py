"""What a page shows as a heading is one, whatever element it uses."""

import pytest

from crawler.extract.extraction import extract_page
from crawler.extract.html_tree import parse_html
from crawler.extract.page import Heading, Page
from crawler.extract.unmarked_headings import write_headings
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

_INTRO = "<h1>Lamps</h1><p>Every lamp has a switch, a shade and a bulb, and lights up the room that it stands in.</p>"


def _page(html: str) -> Page:
    page = f"<html><body><main>{_INTRO}{html}</main></body></html>"
    return extract_page(page.encode(), "https://docs.example/lamps.html", None)


@every_row(
    ("html", "heading"),
    [
        pytest.param(
            "<div class=section1><a id=bulbs></a><div class=section1-header><div class=section1-number>2</div>"
            "<div class=section1-title>Change a bulb</div></div><div class=section-body>{}</div></div>",
            Heading(2, "Change a bulb", "bulbs"),
            id="the title of a section, with its number",
        ),
        pytest.param(
            "<div id=bulbs role=heading aria-level=3>Change a bulb</div>{}",
            Heading(3, "Change a bulb", "bulbs"),
            id="by role",
        ),
        pytest.param(
            "<div id=bulbs role=heading aria-level=0>Change a bulb</div>{}",
            Heading(2, "Change a bulb", "bulbs"),
            id="by role, at no level",
        ),
        pytest.param(
            "<p><span class=bold><a name=bulbs>2.1. Change a bulb</a></span></p>{}",
            Heading(3, "2.1. Change a bulb", "bulbs"),
            id="a numbered line in bold",
        ),
    ],
)
def test_a_heading_by_other_means_is_one(html: str, heading: Heading) -> None:
    page = _page(html.format("<p>Unscrew the old one.</p>"))
    assert page.headings[1:] == (heading,)
    assert page.markdown.endswith(f"\n\n{'#' * heading.level} {heading.text}\n\nUnscrew the old one.")


@every_row(
    "html",
    [
        pytest.param("<p><b>2.1. Change a bulb</b></p>", id="a bold line that nothing leads to"),
        pytest.param("<p><b><a name=opt>--bulb</a></b></p>", id="a term"),
        pytest.param("<p><b>See <a name=bulbs>2.1. Bulbs</a></b></p>", id="part of a line"),
        pytest.param("<div class=section-title><p>A bulb lights up.</p><p>It glows.</p></div>", id="a box of text"),
        pytest.param("<div class=section1-toc-title>Bulbs</div>", id="a line of the contents"),
    ],
)
def test_what_only_looks_like_one_is_none(html: str) -> None:
    assert _page(f"{html}<p>Unscrew the old one.</p>").headings[1:] == ()


def test_a_heading_within_a_heading_is_one() -> None:
    page = _page("<h2><span class=section-title>Bulbs</span></h2><p>Unscrew the old one.</p>")
    assert [heading.text for heading in page.headings] == ["Lamps", "Bulbs"]


@pytest.mark.parametrize(
    "piece", ["<b><a name=a>1. A</a></b>", "<p><b><a name=a>1. A</a></b>", "<div class=section-title>"]
)
def test_headings_are_found_in_linear_time(piece: str) -> None:
    def read(text: str) -> None:
        write_headings(parse_html(f"<body><p>{text}"))

    assert takes_linear_time(read, piece, 8_000)
