"""Code of a page: its lines, its language, and what stands beside it."""

import pytest

from crawler.extract.page import Heading
from tests.crawler.extract.test_extraction import FILLER, _page, assert_headings_agree
from tests.every_row import every_row


def test_code_keeps_its_lines_and_its_language() -> None:
    code = '<div class="highlight-python"><pre><b>def</b> f():\n    <b>return</b> "&lt;"\n\n# end\n</pre></div>'
    page = _page(f"<main><h1>T</h1><p>{FILLER}</p>{code}</main>")
    assert '```python\ndef f():\n    return "<"\n\n# end\n```' in page.markdown
    assert page.headings == (Heading(1, "T"),)
    assert_headings_agree(page)


def test_what_indents_all_lines_of_code_goes() -> None:
    code = "<pre>\n    if lamp:\n      light()\n\n    stop()\n</pre>"
    assert _page(f"<main><p>{FILLER}</p>{code}</main>").markdown.endswith("```\nif lamp:\n  light()\n\nstop()\n```")


def test_a_language_may_stand_alone_in_a_class() -> None:
    page = _page(
        f'<main><p>{FILLER}</p><pre class="rust example-rendered">let a = 1;</pre><pre class="box">x</pre></main>'
    )
    assert "```rust\nlet a = 1;\n```" in page.markdown
    assert "```\nx\n```" in page.markdown


def test_a_fence_inside_code_does_not_end_it() -> None:
    page = _page(f"<main><p>{FILLER}</p><pre>```\n# x\n```</pre></main>")
    assert page.markdown.endswith("````\n```\n# x\n```\n````")
    assert_headings_agree(page)


@every_row("name", ["linenos", "gutter", "crayon-nums", "blob-num"])
def test_line_numbers_beside_code_go(name: str) -> None:
    code = f"<table class=highlighttable><tr><td class={name}><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>"
    assert _page(f"<main><p>{FILLER}</p>{code}</main>").markdown.endswith("```\na\nb\n```")


def test_code_that_is_indented_by_a_list_is_a_block() -> None:
    """A fence begins its line, or what follows the code would be taken for code."""
    code = "<ul><li>First</li><li><pre>pump --all</pre></li><li>Then <pre>pump --none</pre></li></ul><p>Last.</p>"
    assert _page(f"<main><h1>Use</h1>{code}</main>").markdown.split("\n\n")[1:] == [
        "- First",
        "```\npump --all\n```",
        "- Then",
        "  ```\n  pump --none\n  ```",
        "Last.",
    ]


def test_a_menu_that_opens_in_code_is_no_code() -> None:
    menu = "<span class=dropdown><a href=#>rate</a><ul class=dropdown-menu><li>found in: Options</li></ul></span>"
    assert _page(f"<main><h1>Options</h1><p>{FILLER}</p><pre>set {menu} 10\nstart</pre></main>").markdown.endswith(
        "```\nset rate 10\nstart\n```"
    )


@every_row(
    ("html", "markdown"),
    [
        ("<p><strong class=userinput><code>lamp --on</code></strong></p>", "```\nlamp --on\n```"),
        ("<p>Light it up:</p> <p><code>lamp --on</code></p>", "Light it up:\n\n```\nlamp --on\n```"),
        ("<p><code>No lamp is on</code></p>", "`No lamp is on`"),
        ("<p>Type:</p><p>at once <code>lamp --on</code></p>", "Type:\n\nat once `lamp --on`"),
    ],
    ids=["by its class", "announced", "a message", "in a sentence"],
)
def test_a_paragraph_that_is_to_be_typed_is_a_block_of_code(html: str, markdown: str) -> None:
    page = _page(f"<main><h1>T</h1><p>{FILLER}</p>{html}</main>")
    assert page.markdown.endswith(f"\n\n{markdown}")


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(
            "<code class=block>\n  tar -c a\n  <b>tar -t a</b>\n  tar -x a\n</code>", id="lines of the source"
        ),
        pytest.param("<p><code>tar -c a<br>\ntar -t a<br>\ntar -x a</code></p>", id="in a paragraph"),
        pytest.param("<div><tt>tar -c a<br>tar -t a<br>tar -x a<br></tt></div>", id="in a box"),
    ],
)
def test_code_of_several_lines_by_itself_is_a_block(html: str) -> None:
    page = _page(f"<main><p>{FILLER}</p>{html}<p>Then wait.</p></main>")
    assert page.markdown.endswith("\n\n```\ntar -c a\ntar -t a\ntar -x a\n```\n\nThen wait.")


def test_code_within_a_sentence_is_none() -> None:
    page = _page(f"<main><p>{FILLER}</p><p>Call <code>tar\n-x\n-f a\n</code> now.</p></main>")
    assert page.markdown.endswith("\n\nCall `tar -x -f a` now.")


@pytest.mark.parametrize("variable", ["<em class=replaceable><code>name</code></em>", "<i><b><tt>name</tt></b></i>"])
def test_code_and_a_variable_beside_it_are_one(variable: str) -> None:
    page = _page(f"<main><p>{FILLER}</p><p>Open <tt>tv://</tt>{variable} for <code>a</code> <code>b</code>.</p></main>")
    assert page.markdown.endswith("\n\nOpen `tv://name` for `a` `b`.")


@every_row("name", ["ln", "lnt", "line-number", "hljs-ln-numbers"])
def test_the_numbers_of_lines_are_no_code(name: str) -> None:
    lines = "".join(f'<span class="line"><span class="{name}">{n}</span>step {n}\n</span>' for n in (1, 2))
    page = _page(f"<main><h1>T</h1><p>{FILLER}</p><pre class=chroma><code>{lines}</code></pre></main>")
    assert page.markdown.endswith("```\nstep 1\nstep 2\n```")


def test_code_in_an_element_of_such_a_name_stays() -> None:
    page = _page(f"<main><h1>T</h1><p>{FILLER}</p><pre><span class=ln>ln -s a b</span></pre></main>")
    assert page.markdown.endswith("```\nln -s a b\n```")
