"""Where the links in a page's text lead survives in its Markdown; those that lead nowhere else are words."""

import pytest

from crawler.extract.extraction import extract_page
from crawler.extract.markdown.text_links import without_targets
from tests.crawler.extract.test_extraction import FILLER
from tests.every_row import every_row

URL = "https://shop.example/help/returns"


def _read(text: str, frame: str = "") -> str:
    html = f"{frame}<main><h1>Returns</h1><p>{FILLER}</p>{text}</main>"
    return extract_page(html.encode(), URL, None).markdown.removeprefix(f"# Returns\n\n{FILLER.strip()}").strip()


@every_row(
    ("text", "markdown"),
    [
        pytest.param(
            "<p>Use the <a href='../forms/return.pdf'>return form</a>.</p>",
            "Use the [return form](https://shop.example/forms/return.pdf).",
            id="relative to the page",
        ),
        pytest.param(
            "<p><a href='https://www.gov.example/vat#rates'> The <b>VAT</b> rules. </a> Apply.</p>",
            "[The VAT rules.](https://www.gov.example/vat#rates) Apply.",
            id="to another site, with its place",
        ),
        pytest.param(
            "<ul><li><a href='mailto:help@shop.example?subject=Hi'>Write to us</a>"
            "<li><a href='tel:+44 20 7946 0958'>Call</a></ul>",
            "- [Write to us](mailto:help@shop.example)\n- [Call](tel:+442079460958)",
            id="addresses",
        ),
        pytest.param(
            "<p>Ask <a href='help@shop.example'>us</a>.</p>",
            "Ask [us](mailto:help@shop.example).",
            id="an address without its scheme",
        ),
        pytest.param(
            "<table><tr><th>State<th>Form<tr><td>Texas<td><a href='/tx'>12-302</a></table>",
            "| State | Form |\n| --- | --- |\n| Texas | [12-302](https://shop.example/tx) |",
            id="in a table",
        ),
        pytest.param(
            "<dl><dt><a href='/a'>Standard</a><dd>Three days, see <a href='/b'>rates</a>.</dl>",
            "- **[Standard](https://shop.example/a)**: Three days, see [rates](https://shop.example/b).",
            id="in definitions",
        ),
        pytest.param(
            "<p><a href='/a?utm_source=x&id=7&gclid=1'>The form</a></p>",
            "[The form](https://shop.example/a?id=7)",
            id="without tracking parameters",
        ),
        pytest.param(
            "<p><a href='..\\forms\\a.pdf'>The form</a></p>",
            "[The form](https://shop.example/forms/a.pdf)",
            id="with backslashes",
        ),
        pytest.param(
            "<p>Call <a href='/api'><code>GET /api</code></a> or <a href='/b'>the <code>B</code> call</a>.</p>",
            "Call [`GET /api`](https://shop.example/api) or [the `B` call](https://shop.example/b).",
            id="around code",
        ),
        pytest.param(
            "<p><a href='/api'><code>GET /api</code></a></p><pre><a href='/i'>int</a> f();</pre>",
            "[`GET /api`](https://shop.example/api)\n\n```\nint f();\n```",
            id="alone in a line of code, not in a block of it",
        ),
        pytest.param(
            "<h2><a href='/fees'>Fees</a></h2><p>Ten.</p><a href='/visa'><h2>Visa</h2><p>For guests.</p></a>",
            "## [Fees](https://shop.example/fees)\n\nTen.\n\n## [Visa](https://shop.example/visa)\n\nFor guests.",
            id="in a heading, and around one",
        ),
        pytest.param(
            "<p><a href='/wiki/Lamp_(oil)'>Lamps</a></p>",
            "[Lamps](https://shop.example/wiki/Lamp_%28oil%29)",
            id="with brackets",
        ),
        pytest.param(
            "<p>Send <a href='/a.pdf'>the application [PDF, 7 pages]</a>.</p>",
            "Send [the application](https://shop.example/a.pdf) [PDF, 7 pages].",
            id="with its kind in brackets",
        ),
        pytest.param(
            "<p>See</p><a class='btn btn-primary' href='/visa.pdf'><div>Visa Support Letter Request Form</div></a>",
            "See\n\n[Visa Support Letter Request Form](https://shop.example/visa.pdf)",
            id="as a button",
        ),
    ],
)
def test_a_link_in_the_text_keeps_its_target(text: str, markdown: str) -> None:
    assert _read(text) == markdown


@every_row(
    ("link", "told"),
    [
        pytest.param("<a href='#top'>Up</a>", "Up", id="to a place on the page"),
        pytest.param("<a href='returns#fees'>Fees</a>", "Fees", id="to a place on the page, by its address"),
        pytest.param("<a href='javascript:open()'>Open</a>", "Open", id="a script"),
        pytest.param("<a href='data:text/html,x'>Open</a>", "Open", id="data"),
        pytest.param("<a href='http://10.0.0.1/admin'>Admin</a>", "Admin", id="inside somebody's network"),
        pytest.param("<a href='https://user:pw@x.example/'>Admin</a>", "Admin", id="with a user"),
        pytest.param("<a rel='ugc' href='https://x.example/'>Cheap</a>", "Cheap", id="of a visitor"),
        pytest.param("<a rel='nofollow' href='https://x.example/'>Cheap</a>", "Cheap", id="not vouched for"),
        pytest.param("<a rel='sponsored' href='https://x.example/'>Cheap</a>", "Cheap", id="paid for"),
        pytest.param("<code>pay(<a href='/int'>int</a>)</code>", "`pay(int)`", id="within code"),
        pytest.param("<a href='/n'>[12]</a>", "[12]", id="the mark of a note"),
        pytest.param("<a href='mailto:a@b.example,c@d.example'>Write</a>", "Write", id="to several people"),
    ],
)
def test_a_link_that_leads_nowhere_else_is_its_words(link: str, told: str) -> None:
    assert _read(f"<p>Words: {link} and more.</p>") == f"Words: {told} and more."


def test_a_link_of_the_navigation_is_its_words_unless_it_is_in_a_sentence() -> None:
    frame = "<nav><a href='/contact'>Contact us</a></nav>"
    link = "<a href='/contact'>Contact us</a>"
    assert _read(f"<p>{link}</p><p>{link} by noon.</p>", frame) == (
        "Contact us\n\n[Contact us](https://shop.example/contact) by noon."
    )


def test_names_of_sections_are_words_alone() -> None:
    page = extract_page(
        f"<main><h1>T</h1><p>{FILLER}</p><h2><a href='/a'>Fees</a></h2><p>Ten.</p></main>".encode(), URL, None
    )
    assert [heading.text for heading in page.headings] == ["T", "Fees"]
    assert "\n## [Fees](https://shop.example/a)\n" in page.markdown


def test_what_is_in_the_text_besides_targets_is_what_was_there_without_links() -> None:
    text = "<p>One <a href='/a'>two</a>, <a href='/b'>three!</a></p><ol><li><a href='/c'>Four</a></ol>"
    assert without_targets(_read(text)) == _read(text.replace("href", "data-href"))
