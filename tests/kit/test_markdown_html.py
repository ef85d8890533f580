"""Answers drawn for operators: Markdown is drawn, and whatever a model or a visitor wrote stays harmless."""

import re

from app.kit.markdown_html import markdown_excerpt, markdown_html
from tests.every_row import every_row


@every_row(
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


def test_the_numbers_of_sources_stand_raised_and_no_others() -> None:
    drawn = markdown_html("It costs **12 euros** [1]. Not [2], `[1]`.", {1})
    assert drawn.strip() == (
        '<p>It costs <strong>12 euros</strong> <sup class="cite">1</sup>. Not [2], <code>[1]</code>.</p>'
    )


def test_a_heading_of_a_table_without_words_is_a_cell() -> None:
    drawn = markdown_html("| | Plus |\n|---|---|\n| Price | 3 |")
    assert re.findall(r"<(t[hd])(?: [^>]*)?>([^<]*)", drawn) == [
        ("td", ""),
        ("th", "Plus"),
        ("td", "Price"),
        ("td", "3"),
    ]


def test_numbers_of_a_table_end_together_as_in_the_widget() -> None:
    rows = ("| Country | Fee | Note |", "|---|:--|---:|", "| Malta | free | a |", "| Italy | 4.90 € | 3 |")
    drawn = markdown_html("\n".join([*rows, "| Spain | 1,200 EUR | b |"]))
    assert "style=" not in drawn
    assert re.findall(r'<t[hd] class="amount">([^<]+)', drawn) == ["Fee", "free", "4.90 €", "1,200 EUR"]


def test_a_table_without_rows_and_two_tables_are_drawn() -> None:
    two = "| a |\n| --- |\n\ntext\n\n| b | c |\n| --- | --- |\n| 1 | x |\n"
    assert re.findall(r'<t[hd] class="amount">([^<]+)', markdown_html(two)) == ["b", "1"]


def test_a_cell_of_many_signs_takes_no_time() -> None:
    assert "amount" not in markdown_html(f"| a |\n| --- |\n| {'1,.' * 5000}x |")


def test_tasks_have_boxes_and_code_says_its_language() -> None:
    drawn = markdown_html("- [x] Pack it\n- [ ] Send it\n\n```python\nprint(1)\n```\n\n```<b>\nx\n```")
    assert '<li class="task">☑ Pack it</li>' in drawn
    assert '<li class="task">☐ Send it</li>' in drawn
    assert '<p class="code-language">python</p><pre><code class="language-python">print(1)' in drawn
    assert '<p class="code-language">&lt;b&gt;</p>' in drawn


def test_a_table_may_be_scrolled_by_keyboard() -> None:
    assert markdown_html("| a |\n| --- |\n| 1 |").startswith('<div class="table" tabindex="0"><table>')


@every_row(
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


@every_row(
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
