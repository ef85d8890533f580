"""What Doxygen lays out by lines and tables of its own is code, and each member of a list is told on one line."""

from crawler.extract.extraction import extract_page

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
