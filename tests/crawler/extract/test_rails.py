"""Teasers, authors, tags and related things around a page's text, and what looks alike but belongs to it."""

import pytest

from tests.crawler.extract.test_extraction import FILLER, _page
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

TEXT = f"<div class=body><p>{FILLER}</p><h2>Rinsing</h2><p>{FILLER}</p><p>{FILLER}</p></div>"


def _told(before: str = "", after: str = "", inside: str = "") -> str:
    body = TEXT.replace("</div>", f"{inside}</div>")
    return _page(f"<main><h1>Filling the tank</h1>{before}{body}{after}</main>").markdown


CARD = '<div class=c><a href="/1"><img src=a.png></a><h3><a href="/1">GONE and how to use it</a></h3></div>'
RAILS = {
    "cards": f"<div>{CARD * 3}</div>",
    "links": '<ul><li><a href="/1">GONE one</a></li><li><a href="/2">GONE two</a></li></ul>',
    "a heading of links": '<h3><a href="/1">GONE</a></h3>',
    "who wrote it": '<div class="author-box"><img src=a.png><span>GONE is our editor</span></div>',
    "tags": '<div class=t><a href="/t/1">GONE</a> <a href="/t/2">Tank</a></div>',
    "what is cut off": "<div><p>GONE and all that came of it in the end, as told by ...</p></div>",
    "an offer to share": "<div><span>Did you like it? GONE</span></div>",
}


@every_row("rail", RAILS.values(), ids=RAILS.keys())
def test_what_stands_behind_the_text_and_leads_elsewhere_goes(rail: str) -> None:
    markdown = _told(after=rail)
    assert "GONE" not in markdown
    assert markdown.count(FILLER.strip()) == 3


@pytest.mark.parametrize("rail", [RAILS["cards"], RAILS["tags"]], ids=["cards", "tags"])
def test_so_does_what_stands_before_it(rail: str) -> None:
    assert "GONE" not in _told(before=rail)


TEASER = '<a href="/1"><img src=a.png></a><a href="/1">GONE and how to use it</a>'


def test_a_price_among_teasers_does_not_keep_all_of_them() -> None:
    teasers = f"<li>{TEASER}</li>" * 3
    assert "GONE" not in _told(after=f"<ul>{teasers}<li>GONE $40</li></ul>")


def test_the_heading_of_teasers_goes_with_them_though_text_follows() -> None:
    teasers = f"<div class=c>{TEASER}</div>" * 3
    markdown = _told(inside=f"<div class=box><div><h3>GONE</h3></div><div>{teasers}</div></div><p>{FILLER}</p>")
    assert "GONE" not in markdown
    assert markdown.count(FILLER.strip()) == 4


KEPT = {
    "a table": "<table><tr><th>Zone</th><th>Price</th></tr><tr><td>STAYS</td><td>9</td></tr></table>",
    "a closed part": "<details><summary>Sizes</summary>STAYS</details>",
    "code": "<pre>STAYS</pre>",
    "a price": "<div>STAYS for €30</div>",
    "an address": '<div>Write to <a href="mailto:a@example.com">STAYS</a></div>',
    "definitions": "<dl><dt>Volume</dt><dd>STAYS</dd></dl>",
    "more text": f"<section><h2>STAYS</h2><p>{FILLER}</p></section>",
}


@every_row("part", KEPT.values(), ids=KEPT.keys())
def test_facts_stay_wherever_they_stand(part: str) -> None:
    assert "STAYS" in _told(after=part)
    assert "STAYS" in _told(before=part)


@every_row(
    "part",
    [
        "<ol><li>STAYS open</li><li>Close</li></ol>",
        '<p>STAYS: see <a href="/pump">the pump</a> before you begin.</p>',
        "<p>STAYS shut.</p>",
        f"<h3>STAYS</h3><p>{FILLER}</p>",
        '<p><a href="/form.pdf">STAYS to be filled in</a></p>',
        '<ul><li><a href="/a">STAYS open</a></li><li><a href="/b">Descaling</a></li></ul>' + f"<p>{FILLER}</p>",
    ],
    ids=["steps", "a pointer", "a short sentence", "a heading", "a form", "related answers"],
)
def test_short_parts_within_the_text_stay(part: str) -> None:
    assert "STAYS" in _told(inside=part)


def test_a_page_of_links_or_little_text_is_left_alone() -> None:
    cards = "<div>" + CARD.replace("GONE", "STAYS") * 3 + "</div>"
    assert _page(f"<main><h1>Help</h1><p>{FILLER}</p>{cards}</main>").markdown.count("STAYS") == 3


@pytest.mark.parametrize("piece", ["<div>", "<p>a</p>", "<div><a href=/>b</a></div>", f"<p>{FILLER}</p>"], ids=repr)
def test_rails_are_found_in_linear_time(piece: str) -> None:
    assert takes_linear_time(lambda text: _told(after=text), piece, 2_000)
