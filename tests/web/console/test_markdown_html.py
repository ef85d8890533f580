"""Answers drawn for operators: Markdown is drawn, and whatever a model or a visitor wrote stays harmless."""

import pytest

from app.web.console.markdown_html import markdown_excerpt, markdown_html


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("It costs **12 euros** [1].", "<p>It costs <strong>12 euros</strong> [1].</p>"),
        ("one\ntwo", "<p>one<br>\ntwo</p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("~~old~~", "<p><s>old</s></p>"),
        ("# Prices", '<p class="drawn-heading">Prices</p>'),
        ("    rm -rf", "<pre><code>rm -rf\n</code></pre>"),
        (
            "[Prices](https://www.example.com/p?a=1&b=2)",
            '<p><a href="https://www.example.com/p?a=1&amp;b=2" rel="noreferrer noopener nofollow">Prices</a></p>',
        ),
    ],
)
def test_what_answers_are_made_of(written: str, seen: str) -> None:
    assert markdown_html(written).strip() == seen


def test_a_table_may_be_scrolled_by_keyboard() -> None:
    assert markdown_html("| a |\n| --- |\n| 1 |").startswith('<div class="table" tabindex="0"><table>')


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "[a](javascript:alert(1))",
        "[a](JaVaScript:alert(1))",
        "[a](data:text/html;base64,PHNjcmlwdD4=)",
        "[a](vbscript:x)",
        "[a](//evil.example)",
        "[a](/console/sign-out)",
        "<javascript:alert(1)>",
        '[a](https://x.example/"onmouseover="alert(1))',
        "![a](https://evil.example/pixel.png)",
        "```<script>\nx\n```",
        "[a]: javascript:alert(1)\n\n[a]",
        "# <svg onload=alert(1)>",
        "[a](https://[)",
    ],
)
def test_nothing_hostile_becomes_markup(hostile: str) -> None:
    page = markdown_html(hostile).lower()
    for wrong in ("<script", "<img", "<svg", 'href="javascript', 'href="data', 'href="vbscript', 'href="/', '"onmouse'):
        assert wrong not in page


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("**Hi** [there](https://x.example)\n\n- one\n- `two`", "<strong>Hi</strong> there · one · <code>two</code>"),
        ("| a | b |\n| --- | --- |\n| 1 | **2** |", "a · b · 1 · <strong>2</strong>"),
        ("```\nx =\n  '<a>'\n```", "<code>x = &#39;&lt;a&gt;&#39;</code>"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("word " * 300, ("word " * 200).strip()),
        ("", ""),
    ],
)
def test_the_beginning_of_an_answer_stands_on_one_line(written: str, seen: str) -> None:
    assert markdown_excerpt(written) == seen
