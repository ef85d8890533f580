"""Where a page leads and what it tells robots."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from crawler.extract.links import PageLinks, read_links
from tests.every_row import every_row

URL = "https://docs.example.com/guide/start"


def _read(html: str, url: str = URL) -> PageLinks:
    return read_links(LexborHTMLParser(html), url)


def test_links_are_absolute_unique_and_in_document_order() -> None:
    found = _read('<a href="b">B</a><a href="/a#x">A</a><a href="b#y">B again</a><area href="../c?x=1">')
    assert found.links == (
        "https://docs.example.com/guide/b",
        "https://docs.example.com/a",
        "https://docs.example.com/c?x=1",
    )


@every_row(
    "href",
    ["mailto:a@example.com", "javascript:alert(1)", "data:text/html,x", "tel:+1", "#top", "", "ftp://example.com/x",
     "http://127.0.0.1/admin", "https://user@example.com/", "http://[bad"],
)  # fmt: skip
def test_what_cannot_be_crawled_is_no_link(href: str) -> None:
    assert _read(f'<a href="{href}">x</a>').links == ()


@every_row(
    ("page", "canonical"),
    [
        ('<html lang="de">{de}{en}{x}<link rel=canonical href="/en/start">', URL),
        ('<html lang="de">{en}{x}<link rel=canonical href="/en/start">', URL),
        ('<html lang="en">{en}{x}<link rel=canonical href="/en/start">', "https://docs.example.com/en/start"),
        ('<html lang="de">{de}{en}<link rel=canonical href="/guide/begin">', "https://docs.example.com/guide/begin"),
        ('<html lang="en-US">{us}{en}<link rel=canonical href="/en/start">', "https://docs.example.com/en/start"),
    ],
    ids=["names its own as well", "by its language", "a copy of the same language", "no twin", "of another country"],
)
def test_a_version_in_another_language_does_not_stand_for_the_page(page: str, canonical: str) -> None:
    twins = {
        "de": '<link rel="alternate" hreflang="de" href="start">',
        "us": '<link rel="alternate" hreflang="en-US" href="start">',
        "en": '<link rel="alternate" hreflang="en-GB" href="/en/start">',
        "x": '<link rel="alternate" hreflang="x-default" href="/en/start">',
    }
    assert _read(page.format(**twins)).canonical_url == canonical


@pytest.mark.parametrize("href", ["/media/lamp.jpg", "lamp.PNG", "/media/lamp.webp?w=800#x"])
def test_pictures_are_not_followed(href: str) -> None:
    assert _read(f'<a href="{href}"><img src="thumb.jpg"></a>').links == ()


@every_row("href", ["/wiki/File:Lamp.jpg", "/lamp.jpg/", "/view?picture=lamp.jpg", "/png"])
def test_pages_about_pictures_are_followed(href: str) -> None:
    assert _read(f'<a href="{href}">x</a>').links == (f"https://docs.example.com{href}",)


def test_the_base_of_the_page_is_honoured() -> None:
    assert _read('<base href="/v2/"><a href="x">x</a>').links == ("https://docs.example.com/v2/x",)


def test_a_base_of_another_kind_is_ignored() -> None:
    assert _read('<base href="javascript:void(0)"><a href="x">x</a>').links == ("https://docs.example.com/guide/x",)


def test_line_ends_and_blanks_in_an_address_are_read_as_browsers_do() -> None:
    assert _read('<a href=" /a\n/b c ">x</a>').links == ("https://docs.example.com/a/b%20c",)


def test_a_link_that_is_not_followed_is_left_out() -> None:
    assert _read('<a rel="noopener NoFollow" href="/a">a</a><a href="/b">b</a>').links == (
        "https://docs.example.com/b",
    )


@pytest.mark.parametrize("word", ["nofollow", "none", "NOINDEX, NOFOLLOW"])
def test_a_page_that_says_nofollow_has_no_links(word: str) -> None:
    assert _read(f'<meta name="robots" content="{word}"><a href="/a">a</a>').links == ()


@pytest.mark.parametrize(("content", "expected"), [("noindex", True), ("none", True), ("index, follow", False)])
def test_noindex_is_read(content: str, expected: bool) -> None:
    assert _read(f'<meta name="Robots" content="{content}">').is_noindex is expected


def test_another_robots_directives_are_not_ours() -> None:
    assert _read('<meta name="otherbot" content="noindex">').is_noindex is False


def test_a_canonical_url_on_the_same_host_stands_for_the_page() -> None:
    assert _read('<link rel="canonical" href="/guide/start/">').canonical_url == "https://docs.example.com/guide/start/"


@every_row("href", ["https://other.example.org/x", "", "javascript:1", "http://docs.example.com:8080/x"])
def test_any_other_canonical_url_is_ignored(href: str) -> None:
    assert _read(f'<link rel="canonical" href="{href}">').canonical_url == URL


def test_a_page_on_an_allowed_address_may_link_to_itself_but_to_no_neighbour() -> None:
    html = '<a href="/a">a</a><a href="http://127.0.0.1:9999/b">b</a><a href="http://10.0.0.1/">c</a>'
    assert _read(html, "http://127.0.0.1:8123/").links == ("http://127.0.0.1:8123/a",)


def test_menus_hidden_until_a_click_lead_somewhere_too() -> None:
    assert _read('<div hidden><a href="/a">a</a></div>').links == ("https://docs.example.com/a",)


@every_row(
    "html",
    [
        '<meta http-equiv="refresh" content="0; url=./latest/">',
        "<meta http-equiv=Refresh content=\"3;URL='latest/'\">",
        '<meta http-equiv="refresh" content="0, latest/">',
        '<frameset><frame src="latest/"></frameset>',
        '<a href="latest\\">x</a>',
    ],
)
def test_what_browsers_follow_is_followed(html: str) -> None:
    assert _read(html).links == ("https://docs.example.com/guide/latest/",)


def test_a_page_that_only_reloads_leads_nowhere() -> None:
    assert _read('<meta http-equiv="refresh" content="30">').links == ()
