"""What a page says about itself: title, description, language, dates."""

from datetime import date

import pytest

from crawler.extract.extraction import extract_page
from crawler.extract.page import Page
from tests.every_row import every_row

URL = "https://docs.example.com/guide/start"
FILLER = "Fill the tank with clean water up to the line and close the lid until it clicks. " * 4


def _page(body: str, head: str = "", attributes: str = "") -> Page:
    html = f"<!doctype html><html {attributes}><head>{head}</head><body>{body}</body></html>"
    return extract_page(html.encode(), URL, "utf-8")


@every_row(
    ("head", "h1", "title"),
    [
        ("<title>Filling - Acme Docs</title>", "Filling", "Filling"),
        ("<title>Acme: Filling</title>", "Filling", "Filling"),
        ("<title>Filling | Example</title>", "The tank", "Filling"),
        ("<title>Filling | Acme</title><meta property='og:site_name' content='Acme'>", "The tank", "Filling"),
        ("<title>Filling \u2013 Example Ltd</title>", "The tank", "Filling"),
        ("<title>Filling the tank</title>", "Filling", "Filling the tank"),
        ("<title>x</title><meta property='og:title' content='Open Graph'>", "Filling", "Open Graph"),
        ("<title>Acme Lamps - </title>", "Filling", "Filling"),
        ("<title>| Acme Lamps</title>", "", "Acme Lamps"),
        ("", "Filling", "Filling"),
        ("", "", "start"),
        ("<title>A \u200b\u202eB</title>", "", "A B"),
    ],
)
def test_the_title_is_the_pages_own(head: str, h1: str, title: str) -> None:
    assert _page(f"<main><h1>{h1}</h1><p>{FILLER}</p></main>", head).title == title


@pytest.mark.parametrize(
    ("path", "title"),
    [("guide/filling_a-tank.html", "filling a tank"), ("FAQ/index.html", "FAQ"), ("index.html", "x.example")],
)
def test_a_page_that_says_no_name_has_its_address_s(path: str, title: str) -> None:
    html = f"<title></title><main><p>{FILLER}</p></main>".encode()
    assert extract_page(html, f"https://x.example/{path}", None).title == title


def test_the_site_s_heading_and_what_stands_behind_it_go_from_the_title() -> None:
    head = "<title>Access - Configure - H2O - the optimized server</title>"
    page = _page(f"<h1><a href='index.html'>H2O</a></h1><main><h2>Rules</h2><p>{FILLER}</p></main>", head)
    assert page.title == "Access - Configure"


def test_the_description_is_read() -> None:
    assert _page("x", '<meta name="Description" content=" How to\n fill. ">').description == "How to fill."


@every_row(
    ("attributes", "head", "text", "language"),
    [
        ('lang="en-GB"', "", "x", "en"),
        ('xml:lang="DE"', "", "x", "de"),
        ("", '<meta property="og:locale" content="fr_FR">', "x", "fr"),
        ('lang="und"', "", "x", None),
        ("", "", "Dies ist ein deutscher Text über das Befüllen des Tanks mit sauberem Wasser bis zur Linie.", "de"),
        ("", "", "Short.", None),
    ],
)
def test_the_language_is_said_or_seen(attributes: str, head: str, text: str, language: str | None) -> None:
    assert _page(f"<main><p>{text}</p></main>", head, attributes).language == language


@every_row(
    ("head", "body"),
    [
        (
            '<meta property="article:published_time" content="2024-03-05T10:00:00Z">'
            '<meta property="article:modified_time" content="2025-01-02">',
            "",
        ),
        (
            '<script type="application/ld+json">{"@graph":[{"@type":"Article","datePublished":"2024-03-05",'
            '"dateModified":"2025-01-02T00:00:00+00:00"}]}</script>',
            "",
        ),
        ("", '<time itemprop="datePublished" datetime="2024-03-05">x</time><time class="updated">2 Jan 2025</time>'),
        ('<meta name="date" content="2024-03-05">', "<p>Last reviewed <time>January 2, 2025</time></p>"),
    ],
    ids=["meta", "linked data", "time", "a sentence"],
)  # fmt: skip
def test_dates_are_read(head: str, body: str) -> None:
    page = _page(f"<main><p>{FILLER}</p>{body}</main>", head)
    assert (page.published, page.modified) == (date(2024, 3, 5), date(2025, 1, 2))


@every_row("value", ["yesterday", "2024-13-45", "0001-01-01", "", "{{date}}", "99999999", "2099-01-01"])
def test_a_date_that_is_none_is_left_out(value: str) -> None:
    assert _page("x", f'<meta name="date" content="{value}">').published is None


def test_broken_linked_data_is_ignored() -> None:
    assert _page("<p>x</p>", '<script type="application/ld+json">{"a": [</script>').published is None


@pytest.mark.parametrize(
    "when",
    [
        '<time datetime="2099-05-02T19:00">2 May, 7 pm</time>',
        '<div itemscope itemtype="https://schema.org/Event"><time datetime="2020-05-02">2 May</time></div>',
        '<time itemprop="startDate" datetime="2020-05-02">2 May</time>',
    ],
    ids=["a day to come", "of an event", "a start"],
)
def test_the_day_of_an_event_is_not_the_day_of_publication(when: str) -> None:
    page = extract_page(f"<main><h1>Concert</h1><p>{FILLER}</p>{when}</main>".encode(), "https://example.com/", None)
    assert page.published is None
