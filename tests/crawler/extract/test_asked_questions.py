"""On a page of frequent questions each one is a heading, however the page sets it off."""

import pytest

from crawler.extract.html_tree import parse_html
from crawler.extract.page import Heading
from crawler.extract.unmarked_headings import write_headings
from tests.crawler.extract.test_unmarked_headings import _page
from tests.every_row import every_row
from tests.linear_time import takes_linear_time


@every_row(
    ("first", "second"),
    [
        pytest.param(
            "<p><a id=on><b>Why is it\n not on?</b></a><br>Press the switch.</p>",
            "<p><b>Which bulb fits it?</b><br>Any small one.</p>",
            id="bold, before a break",
        ),
        pytest.param(
            "<p id=on><strong>Why is it not on?</strong></p><p>Press the switch.</p>",
            "<p><strong>Which bulb fits it?</strong></p><p>Any small one.</p>",
            id="bold paragraphs",
        ),
        pytest.param(
            "<ol><li id=on><b>Why is it not on?</b><p>Press the switch.</p></li>",
            "<li><b>Which bulb fits it?</b><p>Any small one.</p></li></ol>",
            id="bold, in items",
        ),
        pytest.param(
            "<dl><dt id=on>Why is it not on?</dt><dd>Press the switch.</dd>",
            "<dt>Which bulb fits it?</dt><dd>Any small one.</dd></dl>",
            id="terms",
        ),
        pytest.param(
            "<details id=on><summary>Why is it not on?</summary><p>Press the switch.</p></details>",
            "<details><summary>Which bulb fits it?</summary><p>Any small one.</p></details>",
            id="what opens their answers",
        ),
        pytest.param(
            "<div id=on><button aria-expanded=false>Why is it not on?</button><div>Press the switch.</div></div>",
            "<div><button aria-expanded=false>Which bulb fits it?</button><div>Any small one.</div></div>",
            id="buttons",
        ),
        pytest.param(
            "<div class=faq-question id=on>Why is it not on?</div><div class=faq-answer>Press the switch.</div>",
            "<div class=faq-question>Which bulb fits it?</div><div class=faq-answer>Any small one.</div>",
            id="by class",
        ),
        pytest.param(
            "<div class=question><p><a name=on></a><b>Q: </b>Why is it not on?</p></div>"
            "<div class=answer><p><b>A: </b>Press the switch.</p></div>",
            "<div class=question><p><b>Q: </b>Which bulb fits it?</p></div>"
            "<div class=answer><p><b>A: </b>Any small one.</p></div>",
            id="with labels",
        ),
        pytest.param(
            "<table><tr class=question><td><a name=on></a><p><b>1.1.</b></p></td><td><p>Why is it not on?</p></td></tr>"
            "<tr class=answer><td></td><td><p>Press the switch.</p></td></tr>",
            "<tr class=question><td><p><b>1.2.</b></p></td><td><p>Which bulb fits it?</p></td></tr>"
            "<tr class=answer><td></td><td><p>Any small one.</p></td></tr></table>",
            id="in a table",
        ),
    ],
)
@every_row(("section", "level"), [("", 2), ("<h2>Faults</h2>", 3)])
def test_a_question_is_a_heading_below_the_last_one(first: str, second: str, section: str, level: int) -> None:
    page = _page(section + first + second)
    assert page.headings[-2:] == (
        Heading(level, "Why is it not on?", "on", is_question=True),
        Heading(level, "Which bulb fits it?", page.headings[-1].anchor, is_question=True),
    )
    marks = "#" * level
    assert page.markdown.endswith(
        f"{marks} Why is it not on?\n\nPress the switch.\n\n{marks} Which bulb fits it?\n\nAny small one."
    )


@pytest.mark.parametrize(
    "told",
    [
        pytest.param("<div class=faq-question>The lamp stays dark.</div><div>Press the switch.</div>", id="by class"),
        pytest.param(
            "<table><tr class=question><td><b>Q:</b></td><td><p>The lamp stays dark.</p></td></tr>"
            "<tr class=answer><td><b>A:</b></td><td><p>Press the switch.</p></td></tr></table>",
            id="in a table",
        ),
        pytest.param(
            "<div class=question><a name=dark></a><b>The lamp stays dark.</b></div><p>Press the switch.</p>", id="bold"
        ),
    ],
)
def test_what_the_page_calls_a_question_need_not_ask(told: str) -> None:
    asked = "<div class=question><p>Which bulb fits it?</p></div><p>Any small one.</p>"
    assert _page(told + asked).markdown.endswith(
        "## The lamp stays dark.\n\nPress the switch.\n\n## Which bulb fits it?\n\nAny small one."
    )


@every_row(
    "html",
    [
        pytest.param("<p><b>Is it not on?</b><br>Press the switch.</p>", id="the only one"),
        pytest.param(
            "<div class=question><p>Is it not on?</p><p>The lamp stays dark.</p><pre>off</pre></div>", id="a long one"
        ),
        pytest.param("<p><b>Is it not on?</b> Press it. <b>Is it on now?</b> Good.</p>", id="within a line"),
        pytest.param("<p><b>How?</b></p><p>So.</p><p><b>Why?</b></p><p>It is.</p>", id="a word alone"),
        pytest.param(
            "<dl><dt>Is it on?</dt><dd>Yes.</dd><dt>Is it off?</dt><dd>No.</dd><dt>Lamp</dt></dl>", id="terms"
        ),
        pytest.param(
            "<table><tr><td><b>Is it not on?</b></td><td>Press.</td></tr>"
            "<tr><td><b>Is it not off?</b></td><td>Press.</td></tr></table>",
            id="cells",
        ),
        pytest.param(
            "<p><b><a href=#on>Is it not on?</a></b></p><p><b><a href=#off>Is it not off?</a></b></p>"
            "<dl><dt><a href=#on>Is it not on?</a></dt><dt><a href=#off>Is it not off?</a></dt></dl>",
            id="the contents",
        ),
    ],
)
def test_what_only_looks_like_one_is_none(html: str) -> None:
    assert [heading.text for heading in _page(f"{html}<p>A lamp is on or off.</p>").headings] == ["Lamps"]


@pytest.mark.parametrize(
    "piece",
    [
        "<b>a b c?</b>",
        "<b>a b c?</b><br>",
        "<div><b>a b c?</b>",
        "<dl><dt>a b c?</dt>",
        "<dt>a b c?</dt>",
        "<div class='question faq'>a b c?",
        "<table><tr class=question><td><b>1.</b><p>a b c?</p></td></tr></table>",
        "<tr class=question><td>a b c?</td></tr>",
        "<div class=question><i></i><p>a b c</p>",
        "<p class=question><i></i><b>a b c</b>",
    ],
)
def test_questions_are_found_in_linear_time(piece: str) -> None:
    def read(text: str) -> None:
        write_headings(parse_html(f"<body><table>{text}"))

    assert takes_linear_time(read, piece, 20_000)
