"""From the bytes of a page to its main content."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.extraction import extract_page
from crawler.extract.markdown.text_links import without_targets
from crawler.extract.page import Heading, Page
from tests.every_row import every_row

URL = "https://docs.example.com/guide/start"
FILLER = "Fill the tank with clean water up to the line and close the lid until it clicks. " * 4


def _page(body: str, head: str = "", attributes: str = "") -> Page:
    html = f"<!doctype html><html {attributes}><head>{head}</head><body>{body}</body></html>"
    return extract_page(html.encode(), URL, "utf-8")


def heading_lines(markdown: str) -> list[tuple[int, str]]:
    """The headings that a reader of Markdown sees: lines of "#", not those inside fenced code."""
    found = []
    fence = ""
    for line in markdown.split("\n"):
        bare = re.sub(r"^(?:\s|> |- |\d+\. )*", "", line)
        ticks = re.match(r"`{3,}", bare)
        if ticks and not fence:
            fence = ticks[0]
        elif fence and bare.strip() == fence:
            fence = ""
        elif not fence and (mark := re.match(r"(#{1,6}) (.*)", line)):
            found.append((len(mark[1]), mark[2]))
    return found


def assert_headings_agree(page: Page) -> None:
    assert heading_lines(without_targets(page.markdown)) == [(heading.level, heading.text) for heading in page.headings]


# --- what is content -------------------------------------------------------------------------------------------

FRAME = """
<a class="skip-link" href="#c">Skip to content</a>
<header class="site-header"><a href="/">Acme</a></header>
<nav><ul><li><a href="/a">Products</a><li><a href="/b">Prices</a></ul></nav>
<div id="cookie-banner"><p>We use cookies to improve your visit.</p><button>Accept all</button></div>
<div class="breadcrumbs"><a href="/">Home</a> &gt; <a href="/g">Guide</a></div>
{}
<div class="related-posts"><h3>Read next</h3><a href="/x">Another article</a></div>
<aside><h4>Newsletter</h4><p>Sign up <a href="/n">here</a></p></aside>
<footer><p>Copyright 2026 Acme</p><a href="/imprint">Imprint</a></footer>
"""
NOISE = [
    "Skip to content",
    "Products",
    "cookies",
    "Accept all",
    "Home",
    "Read next",
    "Newsletter",
    "Copyright",
    "Imprint",
]


@every_row("around", ["<main>{}</main>", "<article>{}</article>", '<div role="main">{}</div>', "<div>{}</div>"])
def test_the_frame_of_a_page_is_not_its_content(around: str) -> None:
    content = f"<h1>Filling the tank</h1><p>{FILLER}</p><h2>Draining</h2><p>Open the valve. {FILLER}</p>"
    page = _page(FRAME.format(around.format(content)))
    assert page.markdown.startswith("# Filling the tank")
    assert "Open the valve." in page.markdown
    assert [word for word in NOISE if word in page.markdown] == []
    assert_headings_agree(page)


@every_row(
    "crumb",
    [
        '<a href="https://git.example.com/edit">Edit this page</a>',
        '<div class="feedback"><p>Was this page helpful?</p><button>Yes</button></div>',
        '<a class="headerlink" href="#x" title="Permalink to this heading">¶</a>',
        '<a href="#top">Back to top</a>',
        '<div class="pager"><a rel="prev" href="/a">Prev: Boiling</a><a rel="next" href="/b">Next: Cool</a></div>',
        "<button>Copy</button>",
        '<form action="/search"><label>Search this site</label><input></form>',
        '<div class="printfooter">Retrieved from "<a href="/w?oldid=7">https://example.com/w?oldid=7</a>"</div>',
    ],
)
def test_crumbs_inside_the_content_go(crumb: str) -> None:
    page = _page(f'<main><h1 id="x">Title{crumb if "¶" in crumb else ""}</h1><p>{FILLER}</p>{crumb}</main>')
    assert page.markdown == f"# Title\n\n{FILLER.strip()}"


@every_row(
    "sentence",
    [
        "<p>Press <a href='/n'>Next</a> to go on.</p>",
        "<ul><li>Print</li><li>Copy</li></ul>",
        "<pre><span>print</span>(1)</pre>",
        "<h2>Copy</h2>",
        "<p>You can <a href='/e'>edit this page</a> when you are signed in to your account.</p>",
    ],
)
def test_words_of_the_frame_in_running_text_stay(sentence: str) -> None:
    page = _page(f"<main><h1>T</h1><p>{FILLER}</p>{sentence}</main>")
    words = re.sub(r"<[^>]*>", " ", sentence).split()
    assert all(word in page.markdown for word in words)


@every_row(
    "part",
    [
        '<h2 id="subscribe">Subscribe</h2><p>{}</p>',
        '<section id="cookies"><h2>Cookies</h2><p>{}</p></section>',
        '<div class="sect2" id="share"><h3>Share a station</h3><p>{}</p></div>',
        '<p id="feedback">{}</p>',
        '<aside class="note">{}</aside>',
        '<h3><button>{}</button></h3>',
    ],
)  # fmt: skip
def test_parts_named_like_the_frame_but_written_as_content_stay(part: str) -> None:
    said = "Open the app and choose it there."
    page = _page(f"<main><h1>T</h1><p>{FILLER}</p>{part.format(said)}</main>")
    assert said in page.markdown


def test_a_page_of_links_keeps_them() -> None:
    page = _page(
        '<main><h1>Manual</h1><div class="toc"><ul><li><a href="a">One</a><li><a href="b">Two</a></ul></div></main>'
    )
    assert without_targets(page.markdown) == "# Manual\n\n- One\n- Two"


def test_a_page_as_docusaurus_builds_it() -> None:
    page = _page(
        '<div id="__docusaurus"><nav class="navbar"><a>Docs</a></nav><aside><ul><li>Side</ul></aside>'
        '<div id="fallback"><main><article><nav class="theme-doc-breadcrumbs"><ul><li>Home</ul></nav>'
        '<div class="tocCollapsible_ETCw"><button>On this page</button></div><header><h1>Install</h1></header>'
        '<p>You need npm.</p><h2 id="run">Run<a href="#run" class="hash-link">\u200b</a></h2>'
        '<ul role="tablist"><li role="tab">npm<li role="tab">Yarn</ul><div><div role="tabpanel">'
        '<div class="language-bash"><pre class="language-bash" style="color:#393A34;background:#f6f8fa"><code>'
        '<span class="token-line">npm install<br></span><span class="token-line">npm start<br></span></code></pre>'
        '<button>Copy</button></div></div><div role="tabpanel" hidden><pre class="language-bash">yarn</pre></div></div>'
        "<footer>Edit this page</footer></article><nav>Previous</nav></main></div></div><footer>Copyright</footer>",
        '<title>Install | My Site</title><link rel="stylesheet" href="/a.css">',
    )
    assert page.markdown == (
        "# Install\n\nYou need npm.\n\n## Run\n\n**npm**\n\n```bash\nnpm install\nnpm start\n```\n\n"
        "**Yarn**\n\n```bash\nyarn\n```"
    )
    assert page.headings == (Heading(1, "Install"), Heading(2, "Run", "run"))
    assert page.title == "Install"


def test_the_questions_of_an_accordion_stay_and_other_buttons_go() -> None:
    page = _page(
        f"<main><h1>Prices</h1><p>{FILLER}</p><button aria-expanded=false>May I cancel monthly?</button>"
        "<div><p>Yes, at any time.</p></div><button>Buy</button></main>"
    )
    assert page.markdown.endswith("May I cancel monthly?\n\nYes, at any time.")


def test_a_list_of_the_pages_own_sections_goes_where_there_is_text() -> None:
    toc = '<div class="toc"><p>Table of Contents</p><ul><li><a href="#a">One</a></li></ul></div>'
    assert "One" not in _page(f"<main><h1>T</h1>{toc}<p>{FILLER * 3}</p></main>").markdown


@every_row(
    ("contents", "left"),
    [
        ("<h2>Index</h2><dl><dt><a href=#n>NAME</a><dd><dt><a href=#o>OPTIONS</a><dd><dt><a href=#b>BUGS</a></dl>", ""),
        ("<ul><li><a href=#n>Name</a><li><a href=#o>All options</a><li><a href=#b>Bugs</a></ul>", ""),
        ("<a href=#n>Name</a><br><a href=#o>All options</a><br>\n<a href=#b>Bugs</a><br><hr>", ""),
        ("<ul><li><a href=a#n>Name</a><li><a href=b>Lamps</a><li><a href=#b>Bugs</a></ul>", "- Name\n- Lamps\n- Bugs"),
        (
            "<p>There are:</p><ul><li><a href=#n>A</a><li><a href=#o>B</a><li><a href=#b>C</a></ul>",
            "There are:\n\n- A\n- B\n- C",
        ),
        ("<ul><li><a href=#n>Name</a>: its own<li><a href=#b>Bugs</a></ul>", "- Name: its own\n- Bugs"),
    ],
    ids=["under a name", "without one", "as lines", "to other pages", "announced", "with what they say"],
)
def test_a_list_of_links_down_the_page_goes(contents: str, left: str) -> None:
    markdown = _page(f"<main><h1>T</h1><p>{FILLER}</p>{contents}</main>").markdown
    assert without_targets(markdown).removeprefix(f"# T\n\n{FILLER.strip()}").strip() == left


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("<a href=#n>A</a><br><a href=#o>B</a><br><a href=#b>C</a>", "A B C"),
        ("<a class=toc href=time.html#wait>wait</a>", "wait"),  # as Sphinx calls the names in pygame's tables
    ],
)
def test_links_in_a_table_stay(cell: str, told: str) -> None:
    page = _page(f"<main><h1>T</h1><p>{FILLER}</p><table><tr><td>{cell}<td>1<tr><td>y<td>z</table></main>")
    assert f"| {told} | 1 |" in without_targets(page.markdown)


def test_a_page_without_text_is_empty() -> None:
    page = _page("<nav><a href='/'>Home</a></nav><main></main><script>render()</script>", "<title>App</title>")
    assert page.markdown == ""
    assert page.title == "App"


@every_row("body", [b"", b"\x00", b"<", b"<html>", b"plain text only, no markup at all", b"\xff\xfe\x00"])
def test_any_bytes_give_a_page(body: bytes) -> None:
    assert extract_page(body, URL, None).url == URL


# --- Markdown --------------------------------------------------------------------------------------------------


@every_row(
    ("html", "markdown"),
    [
        pytest.param("<p>Go <a>there</a> <b>now</b>.</p>", "Go there now.", id="emphasis is text"),
        pytest.param("<ul><li>a<li><p>b</p><ul><li>c</ul></ul>", "- a\n- b\n  - c", id="nested lists"),
        pytest.param("<ol start=3><li>a<li>b</ol>", "3. a\n4. b", id="numbers"),
        pytest.param("<p>Use <code>a  b</code> or <kbd>Esc</kbd></p>", "Use `a b` or `Esc`", id="code in a sentence"),
        pytest.param("<p><code>a`b</code></p>", "``a`b``", id="a backtick in code"),
        pytest.param("<p>`<tt>a</tt>' or ``<tt>b</tt>''.</p>", "`a` or `b`.", id="code in typewriter's quotes"),
        pytest.param("<p>10<sup>6</sup></p>", "10^6", id="a power"),
        pytest.param(
            '<p>A compliant<sup id=r><a class="footnote-ref" href="#fn:1">1</a></sup> backend.'
            '<sup><a href="#n">[2]</a></sup></p>',
            "A compliant backend.",
            id="marks of footnotes",
        ),
        pytest.param("<p>2<sup>n − 1</sup>, 1<sup>st</sup></p>", "2^(n − 1), 1st", id="an exponent"),
        pytest.param("<p>a<br>b</p>", "a\nb", id="a line break"),
        pytest.param("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b", id="a quotation"),
        pytest.param("<blockquote><ul><li>a<li>b</ul></blockquote>", "- a\n- b", id="an indented list"),
        pytest.param("<blockquote><pre>ls -l</pre></blockquote>", "```\nls -l\n```", id="indented code"),
        pytest.param("<details><summary>Why?</summary><p>So.</p></details>", "**Why?**\n\nSo.", id="details"),
        pytest.param(
            "<dl><dt><b>-d</b>, <b>--on</b>={*|<i>n</i>}<dd><p>Which.<p>All.</dl>",
            "`-d, --on={*|n}`\n\nWhich.\n\nAll.",
            id="a term with a star",
        ),
        pytest.param("<dl><dt>*<dd>All.<dt>n<dd>One.</dl>", "- `*`: All.\n- **n**: One.", id="a star as a term"),
        pytest.param(
            "<dl><dt><pre>proc a(b: int;\n  c)</pre><dd>Runs.<dt><pre>type a\n" + "  b\n" * 99 + "</pre><dd>It.</dl>",
            "`proc a(b: int; c)`\n\nRuns.\n\n```\ntype a\n" + "  b\n" * 99 + "```\n\nIt.",
            id="code as a term",
        ),
        pytest.param(
            "<dl><dt>Options<p><dl><dt>Size<dd>The paper.</dl><dt>File<dd>Its name.</dl>",
            "Options\n\n- **Size**: The paper.\n\n**File**\n\nIts name.",
            id="terms in a term",
        ),
        pytest.param("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>を", "漢字を", id="with readings"),
        pytest.param("<h2><span>Free?</span><span>Open</span></h2>", "## Free? Open", id="a question and its control"),
        pytest.param("<p># not a heading</p>", "\\# not a heading", id="a sign of Markdown"),
        pytest.param("<p>``` not a fence</p>", "\\``` not a fence", id="ticks of Markdown"),
        pytest.param("<p>a<br>===</p>", "a\n\\===", id="a line under a line"),
        pytest.param("<img alt='x' src='https://evil.example/?q'>b", "b", id="no pictures"),
        pytest.param(
            "<a href=/x><h2>Card</h2><p>Text</p></a>",
            "## [Card](https://docs.example.com/x)\n\nText",
            id="a card in a link",
        ),
    ],
)  # fmt: skip
def test_blocks_become_markdown(html: str, markdown: str) -> None:
    page = _page(f"<main><p>{FILLER}</p>{html}</main>")
    assert page.markdown == f"{FILLER.strip()}\n\n{markdown}"
    assert_headings_agree(page)


def test_links_side_by_side_in_one_row_are_no_term() -> None:
    row = "<tr><td><a href=/1>Back</a></td><td><a href=/2>On</a></td></tr>"
    page = _page(f"<main><p>{FILLER}</p><table>{row}</table></main>")
    assert "·" not in page.markdown


def test_short_definitions_are_a_list_and_long_ones_are_blocks() -> None:
    page = _page(f"<main><p>{FILLER}</p><dl><dt>Hub</dt><dd>The base.</dd></dl></main>")
    assert page.markdown.endswith("- **Hub**: The base.")
    page = _page(f"<main><p>{FILLER}</p><dl><dt>Hub</dt><dd><p>The base.</p><pre>on</pre></dd></dl></main>")
    assert page.markdown.endswith("**Hub**\n\nThe base.\n\n```\non\n```")


def test_a_line_in_bold_that_links_jump_to_is_a_term() -> None:
    entry = "<div class=keyword><b><a name=rate></a>rate</b> &lt;litres&gt;</div><p>How much is moved.</p>"
    assert _page(f"<main><h1>Options</h1>{entry}</main>").markdown.endswith("**rate <litres>**\n\nHow much is moved.")


def test_the_signature_of_an_api_is_code() -> None:
    api = (
        '<dl class="py function"><dt class="sig sig-object py" id="m.run"><span class="sig-prename">m.</span>'
        '<span class="sig-name">run</span>(<em>args</em>, <em>*</em>)<a class="headerlink" href="#m.run">¶</a></dt>'
        "<dd><p>Run it.</p></dd></dl>"
    )
    assert _page(f"<main><p>{FILLER}</p>{api}</main>").markdown.endswith("`m.run(args, *)`\n\nRun it.")


# --- headings --------------------------------------------------------------------------------------------------


@every_row(
    ("html", "anchor"),
    [
        pytest.param('<h2 id="a">H</h2>', "a", id="on the heading"),
        pytest.param('<section id="a"><h2>H<a class="headerlink" href="#a">¶</a></h2></section>', "a", id="Sphinx"),
        pytest.param('<section id="b"><span id="a"></span><h2>H</h2></section>', "a", id="a target just before"),
        pytest.param(
            '<div class="sect2" id="a"><div><div><h2 class="title">H</h2></div></div></div>', "a", id="DocBook"
        ),
        pytest.param('<h2><a name="a"></a>H</h2>', "a", id="a named anchor inside"),
        pytest.param('<h2><a id="u-a" href="#a">#</a>H</h2><i id="a"></i>', "a", id="where the permalink leads"),
        pytest.param('<h2 id="h"><a href="#gone">#</a>H</h2>', "h", id="a permalink to nothing"),
        pytest.param('<div id="a"><p>Text first.</p><h2>H</h2></div>', None, id="a box with text before"),
        pytest.param('<section id="a"><span>1.0 · Source</span><h2>H</h2></section>', "a", id="a section of rustdoc"),
        pytest.param('<h2>H</h2><a class="x" href="#a">§</a><i id="a"></i>', "a", id="a permalink beside it"),
        pytest.param("<h2>H</h2>", None, id="none"),
    ],
)
def test_a_heading_knows_its_anchor(html: str, anchor: str | None) -> None:
    page = _page(f"<main><p>{FILLER}</p>{html}<p>{FILLER}</p></main>")
    assert page.headings == (Heading(2, "H", anchor),)


def test_headings_in_lists_quotes_buttons_and_links_are_found_once() -> None:
    body = (
        f"<main><h1>One</h1><p>{FILLER}</p><ul><li>x<li><h3>Two</h3>y<li>z</ul><blockquote><h4>Three</h4>q</blockquote>"
        "<h3><button aria-expanded=false>Four</button></h3><p>a</p><a href=/><span><h2>Five <em>C#</em></h2></span></a>"
        "<h2> </h2><pre>## Six</pre><h2>Se<br>ven</h2></main>"
    )
    page = _page(body)
    assert [heading.text for heading in page.headings] == ["One", "Two", "Three", "Four", "Five C#", "Se ven"]
    assert_headings_agree(page)


def test_a_button_beside_the_text_of_a_heading_is_not_part_of_it() -> None:
    page = _page(f"<main><h1>Struct Tank <button>Copy item path</button></h1><p>{FILLER}</p></main>")
    assert page.headings == (Heading(1, "Struct Tank"),)


def test_the_label_of_a_note_is_no_heading() -> None:
    page = _page(
        f'<main><h1>T</h1><p>{FILLER}</p><div class="note"><h3 class="title">Note</h3><p>Mind it.</p></div></main>'
    )
    assert page.headings == (Heading(1, "T"),)
    assert page.markdown.endswith("**Note**\n\nMind it.")


def test_a_heading_that_is_a_term_stands_as_the_term() -> None:
    page = _page(f"<main>{FILLER}<dl><dt><h3>Humus</h3></dt><dd>Dark earth.</dd></dl></main>")
    assert "**Humus**" in page.markdown
    assert_headings_agree(page)


_TEXTS = st.sampled_from(
    ["a", "# b", "```", "~~~", "1. c", "- d", "===", "---", "> e", "|", "`", "\u200b", "  ", "\u2028x", "&lt;h1&gt;"]
)
_NAMES = (
    "h1 h2 h3 p div ul ol li table tr td th dl dt dd pre code blockquote a span button section br details summary em"
)
_TAGS = st.sampled_from(_NAMES.split())
_FRAGMENTS = st.recursive(
    _TEXTS,
    lambda inner: st.builds(lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>", _TAGS, st.lists(inner, max_size=4)),
    max_leaves=25,
)


@given(st.lists(_FRAGMENTS, max_size=6))
def test_the_heading_lines_of_any_page_are_its_headings(parts: list[str]) -> None:
    page = _page(f"<main>{FILLER}{''.join(parts)}</main>")
    assert_headings_agree(page)


# --- size ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<div>" * 5000 + "deep" + "</div>" * 5000, id="deep boxes"),
        pytest.param("<span>" * 5000 + "deep", id="deep spans"),
        pytest.param("<ul><li>" * 3000 + "deep", id="deep lists"),
        pytest.param(
            "<table><tr><td rowspan=60000 colspan=60000>x</td></tr>" + "<tr><td>y</td></tr>" * 500, id="spans"
        ),
        pytest.param("<p>" + "word " * 200_000, id="a long paragraph"),
        pytest.param("<b>x</b>" * 30_000, id="many elements"),
        pytest.param("<pre>" + "`" * 50_000, id="ticks"),
        pytest.param("<p style='" + "a:b;" * 20_000 + "'>x", id="a long style"),
    ],
)
def test_an_odd_page_is_read_in_reasonable_time(body: str) -> None:
    page = _page(f"<main><h1>T</h1>{body}</main>")
    assert page.headings == (Heading(1, "T"),)
    assert len(page.markdown) < 3_000_000
