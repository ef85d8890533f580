"""What only its words and links give away as frame, and what looks alike but is content."""

import pytest

from crawler.extract.extraction import extract_page
from tests.every_row import every_row

FILLER = "Fill the tank with clean water up to the line and close the lid until it clicks. " * 4
TITLE = "<h1>Filling the tank</h1>"


def _markdown(body: str, head: str = "") -> str:
    html = f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"
    return extract_page(html.encode(), "https://docs.example.com/guide/start", "utf-8").markdown


@every_row(
    "frame",
    [
        pytest.param('<h2>More from Acme</h2><ul><li><a href="/1">GONE</a></li></ul>', id="teasers under a heading"),
        pytest.param('<label>More stories like this one</label><div><a href="/1">GONE</a></div>', id="under a label"),
        pytest.param('<p>Read more: <a href="/1">GONE is another article</a></p>', id="a teaser between paragraphs"),
        pytest.param(
            '<p>GONE <a href="/en">en</a> <a href="/fr" hreflang="fr">fr</a> <a href="/de" hreflang="de">de</a></p>',
            id="languages in a line",
        ),
        pytest.param(
            '<ul><li><a href="/fr" hreflang="fr">GONE</a><li><a href="/de" hreflang="de">de</a></ul>',
            id="languages in a list",
        ),
        pytest.param("<p><small>This page was last modified on 2017-02-02 GONE</small></p>", id="when it changed"),
        pytest.param("<p class=dated>Last reviewed <time>5 October 2026</time> GONE</p>", id="when it was read"),
        pytest.param(
            "<p><font>This document was generated on <i>December 29</i> using <a href='/'>GONE 1.82</a>.</font></p>",
            id="what wrote it",
        ),
        pytest.param(
            "<table><tr><td>[<a href=a>&lt;&lt; GONE</a>]</td><td>[<a href=t>Top</a>][Index]</td><td>[<a href=c>GONE"
            " &gt;&gt; </a>]</td></tr><tr><td>[<a href=b accesskey=p> &lt; </a>]</td><td>[ ? ]</td></tr></table>",
            id="a table of links to the chapters around",
        ),
        pytest.param('<div class="NavSidebar"><a href="/1">GONE</a></div>', id="a sidebar by any name"),
        pytest.param('<h2>Das könnte dir auch gefallen</h2><ul><li><a href="/1">GONE</a></ul>', id="teasers in German"),
        pytest.param('<h4>Artículos relacionados</h4><ul><li><a href="/1">GONE</a></ul>', id="teasers in Spanish"),
        pytest.param('<h4>Articles similaires</h4><ul><li><a href="/1">GONE</a></ul>', id="teasers in French"),
        pytest.param('<h3>Recently viewed</h3><ul><li><a href="/1">GONE</a></ul>', id="what was looked at"),
        pytest.param('<div class="entry-meta">GONE on <time>2026-02-01</time></div>', id="who wrote it and when"),
        pytest.param('<section class="related-products"><h2>More</h2><p>GONE</p></section>', id="other products"),
        pytest.param('<div class="newsletter-box"><p>GONE</p></div>', id="a newsletter"),
    ],
)
def test_frame_goes(frame: str) -> None:
    markdown = _markdown(f"<main>{TITLE}<p>{FILLER}</p>{frame}<p>Last words.</p></main>")
    assert "GONE" not in markdown
    assert "Last words." in markdown


@every_row(
    "content",
    [
        pytest.param("<h2>Related products</h2><p>STAYS: the hub goes with every station.</p>", id="prose below"),
        pytest.param('<p>Read more: the manual says how STAYS. See <a href="/m">it</a>.</p>', id="a sentence"),
        pytest.param('<p>The page in <a href="/fr" hreflang="fr">French</a> STAYS.</p>', id="one language link"),
        pytest.param("<p>The file was last modified on 2017-02-02. It STAYS.</p>", id="a sentence about a date"),
        pytest.param("<p>This page was generated: STAYS.</p>", id="a sentence about what wrote it"),
        pytest.param(
            "<table><tr><td>[<a href=a>a</a>] STAYS</td><td>[<a href=b>b</a>]</td></tr></table>", id="words in a table"
        ),
        pytest.param("<table><tr><td>[STAYS]</td><td>[b]</td></tr></table>", id="a table in brackets"),
        pytest.param('<section id="sidebar-size"><h2>The sidebar</h2><p>STAYS.</p></section>', id="an id to link to"),
        pytest.param('<section id="feedback"><h2>1.5 Feedback</h2><p>STAYS.</p></section>', id="a numbered heading"),
        pytest.param('<h2>See also</h2><ul><li><a href="/1">STAYS</a></li></ul>', id="a list of references"),
    ],
)
def test_content_that_looks_like_it_stays(content: str) -> None:
    assert "STAYS" in _markdown(f"<main>{TITLE}<p>{FILLER}</p>{content}</main>")


def test_the_sites_name_is_no_heading_of_the_page() -> None:
    name = '<h1><a href="../index.html">Acme 3.2 documentation</a></h1>'
    assert _markdown(f"<div>{name}</div><div>{TITLE}<p>{FILLER}</p></div>").startswith("# Filling the tank")


@pytest.mark.parametrize("heading", ['<h1><a href="#top">Tanks</a></h1>', '<h1><a href="/tanks">Tanks</a></h1>'])
def test_a_title_that_links_to_itself_stays(heading: str) -> None:
    assert "# Tanks" in _markdown(f"<div>{heading}</div><div><h2>Filling</h2><p>{FILLER}</p></div>")


def test_a_title_in_a_banner_above_the_main_part_is_content() -> None:
    page = f'<header class="masthead"><h1>About us</h1><span>What we do</span></header><main><p>{FILLER}</p></main>'
    assert _markdown(page).startswith("# About us\n\nWhat we do")


def test_the_one_article_among_cards_is_the_content() -> None:
    card = '<article><a href="/x">Another story</a></article>'
    article = f"<article>{TITLE}<p>{FILLER}</p></article>"
    assert "Another story" not in _markdown(f"<main>{article}<div>{card * 9}</div></main>")


@pytest.mark.parametrize(
    "story", [FILLER[:163], f"{FILLER}</p><p>{FILLER.replace('tank', 'hub')}"], ids=["short", "long"]
)
def test_links_beside_an_article_do_not_come_along_with_its_title(story: str) -> None:
    teaser = '<div><a href="/x">A headline about something else</a> and what it says of it in a few words</div>'
    page = f"<div><div>{TITLE}</div><div><p>{story}</p></div><div>{teaser * 6}</div></div>"
    assert "A headline" not in _markdown(page)


def test_a_style_rule_that_no_engine_knows_is_passed_over() -> None:
    style = "<style>a:is(, .x { color: red } p:nth-child(2n of [x) { display: none } .gone { display: none }</style>"
    markdown = _markdown(f'<main>{TITLE}<p>{FILLER}</p><p class="gone">GONE</p></main>', style)
    assert "Fill the tank" in markdown
    assert "GONE" not in markdown


@every_row(
    "label",
    [
        "War dieser Artikel hilfreich?",
        "Zurück zum Blog",
        "¿Fue útil este artículo?",
        "Comparte esto:",
        "Cet article vous a-t-il été utile ?",
        "Did this answer your question?",
    ],
)
def test_what_a_page_asks_of_itself_is_no_text(label: str) -> None:
    assert label not in _markdown(f"<main>{TITLE}<p>{FILLER}</p><h3>{label}</h3></main>")


def test_a_link_back_to_the_top_is_frame_in_brackets_as_well() -> None:
    assert _markdown(f"{TITLE}<p>{FILLER}</p><p><a href='#top'>(back to top)</a></p>").endswith("it clicks.")
