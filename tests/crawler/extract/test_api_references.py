"""What references of programming interfaces lay out by lines and tables of their own is code, a member on one line."""

import pytest

from crawler.extract.api_references import write_api_code
from crawler.extract.extraction import extract_page
from crawler.extract.html_tree import parse_html
from tests.linear_time import takes_linear_time

_INTRO = "<h1>Lamps</h1><p>The library lights up lamps, in halls and in gardens, by day and by night.</p>"


def _markdown(html: str) -> str:
    page = f"<html><body><div class='contents'>{_INTRO}{html}</div></body></html>"
    return extract_page(page.encode(), "https://docs.example/lamps.html", None).markdown.partition("by night.\n\n")[2]


def test_a_listing_is_one_block_of_code_without_numbers_and_tooltips() -> None:
    listing = (
        "<div class='line'><span class='lineno'>    1</span>&#160;<span class='keywordflow'>for</span> (;;) {</div>\n"
        "<div class='line'><span class='lineno'>    2</span>&#160;  light();</div>\n"
        "<div class='line'><span class='lineno'>    3</span>&#160;}</div>\n"
        "<div class='ttc' id='a1'><div class='ttname'>light</div></div>"
    )
    assert _markdown(f"<p>Light it:</p><div class='fragment'>{listing}</div><!-- fragment -->") == (
        "Light it:\n\n```\nfor (;;) {\n  light();\n}\n```"
    )


def test_a_prototype_is_one_line_of_code() -> None:
    table = (
        "<table class='mlabels'><tr><td class='mlabels-left'><table class='memname'>"
        "<tr><td class='memname'>void Lamp::dim </td><td>(</td><td class='paramtype'>const <a>Lamp</a> *&#160;</td>"
        "<td class='paramname'><em>lamp</em>, </td></tr>"
        "<tr><td class='paramkey'></td><td></td><td class='paramtype'>int&#160;</td><td class='paramname'>by</td></tr>"
        "<tr><td></td><td>)</td><td></td><td></td></tr></table></td>"
        "<td class='mlabels-right'><span class='mlabel'>inline</span></td></tr></table>"
    )
    assert _markdown(f"<h2>dim()</h2><div class='memproto'>{table}</div><div class='memdoc'><p>Darker.</p></div>") == (
        "## dim()\n\n```\nvoid Lamp::dim (const Lamp * lamp, int by)\n```\n\nDarker."
    )


def test_a_signature_of_spans_is_one_line_of_code() -> None:
    told = "<span class='modifiers'>public</span>&nbsp;<span class='return-type'>void</span>&nbsp;<span>dim</span>"
    signature = f"<div class='member-signature'>{told}<wbr><span>(int&nbsp;by,\n boolean&nbsp;slowly)</span></div>"
    assert _markdown(f"<h3>dim</h3>{signature}<div>Darker.</div>") == (
        "### dim\n\n```\npublic void dim (int by, boolean slowly)\n```\n\nDarker."
    )


def test_each_member_of_a_list_is_a_term_above_what_it_does() -> None:
    rows = (
        "<tr class='heading'><td colspan='2'><h2>Public Functions</h2></td></tr>"
        "<tr><td class='memItemLeft'>void&#160;</td><td class='memItemRight'><b>light</b> (int by)</td></tr>"
        "<tr><td class='mdescLeft'>&#160;</td><td class='mdescRight'>Lights it up.</td></tr>"
        "<tr><td class='memItemLeft'>std::vector&lt; <a>Lamp</a> &gt;&#160;</td>"
        "<td class='memItemRight'>all () const</td></tr>"
        "<tr><td class='mdescLeft'>&#160;</td><td class='mdescRight'>Every lamp.</td></tr>"
    )
    assert _markdown(f"<table class='memberdecls'>{rows}</table>") == (
        "## Public Functions\n\n`void light (int by)`\n\nLights it up.\n\n"
        "`std::vector<Lamp> all () const`\n\nEvery lamp."
    )


def test_a_summary_that_is_laid_out_by_columns_is_a_table() -> None:
    told = [("Type", "Method", "Description"), ("void", "dim(int by)", "Darker."), ("Lamp", "copy()", "Another one.")]
    cells = "".join(
        f"<div class='col-{place} {'table-header' if row is told[0] else 'even-row-color'}'>{text}</div>"
        for row in told
        for place, text in zip(("first", "second", "last"), row, strict=True)
    )
    assert _markdown(f"<div class='summary-table three-column-summary'>{cells}</div>") == (
        "| Type | Method | Description |\n| --- | --- | --- |\n| void | dim(int by) | Darker. |\n"
        "| Lamp | copy() | Another one. |"
    )


@pytest.mark.parametrize(
    "piece",
    [
        "<div class=fragment>",
        "<div class=fragment><div class=line>",
        "<div class=fragment><div class=line>a</div></div>",
        "<div class=memproto>",
        "<div class=summary-table><div class=table-header>a</div>",
        "<table><tr><td class=memItemLeft>a<td class=memItemRight>b",
    ],
)
def test_code_is_found_in_linear_time(piece: str) -> None:
    assert takes_linear_time(lambda text: write_api_code(parse_html(f"<body>{text}")), piece, 8_000)
