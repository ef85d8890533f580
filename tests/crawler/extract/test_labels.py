"""Tabs, titles of code and captions of pictures: text says what each label names."""

import pytest

from tests.crawler.extract.test_extraction import FILLER, _page
from tests.every_row import every_row


def _blocks(html: str) -> list[str]:
    return _page(f"<main><h1>Install</h1><p>{FILLER}</p>{html}</main>").markdown.split("\n\n")[2:]


PANELS = ["**macOS**", "Use brew.", "**Windows**", "Use winget."]


@every_row(
    "tabs",
    [
        pytest.param(
            "<starlight-tabs><div><ul role=tablist><li role=presentation><a role=tab href='#p0' id=t0>macOS</a>"
            "<li role=presentation><a role=tab href='#p1' id=t1>Windows</a></ul></div>"
            "<div id=p0 aria-labelledby=t0 role=tabpanel><p>Use brew.</div>"
            "<div id=p1 aria-labelledby=t1 role=tabpanel hidden><p>Use winget.</div></starlight-tabs>",
            id="links to the panels, as Starlight writes them",
        ),
        pytest.param(
            "<div class=tabs-container><ul role=tablist><li role=tab>macOS<li role=tab>Windows</ul>"
            "<div><div role=tabpanel><p>Use brew.</div><div role=tabpanel hidden><p>Use winget.</div></div></div>",
            id="in one order, as Docusaurus writes them",
        ),
        pytest.param(
            "<div><div role=tablist><button role=tab id=a aria-controls=pa>macOS</button>"
            "<button role=tab id=b aria-controls=pb>Windows</button></div>"
            "<div role=tabpanel id=pa><p>Use brew.</div><div role=tabpanel id=pb><p>Use winget.</div></div>",
            id="buttons",
        ),
        pytest.param(
            "<ul class='nav nav-tabs'><li><a data-toggle=tab href='#x'>macOS</a><li><a data-toggle=tab href='#y'>"
            "Windows</a></ul><div class=tab-content><div class=tab-pane id=x><p>Use brew.</div>"
            "<div class=tab-pane id=y><p>Use winget.</div></div>",
            id="Bootstrap",
        ),
        pytest.param(
            "<div class='tabbed-set tabbed-alternate'><input type=radio id=r1 checked><input type=radio id=r2>"
            "<div class=tabbed-labels><label for=r1>macOS</label><label for=r2>Windows</label></div>"
            "<div class=tabbed-content><div class=tabbed-block><p>Use brew.</div>"
            "<div class=tabbed-block><p>Use winget.</div></div></div>",
            id="radio buttons, as Material for MkDocs writes them",
        ),
        pytest.param(
            "<div class=sd-tab-set><input type=radio id=r1><label class=sd-tab-label for=r1>macOS</label>"
            "<div class=sd-tab-content><p>Use brew.</div><input type=radio id=r2>"
            "<label class=sd-tab-label for=r2>Windows</label><div class=sd-tab-content><p>Use winget.</div></div>",
            id="each before its panel, as sphinx-design writes them",
        ),
    ],
)
def test_what_a_tab_shows_stands_below_its_label(tabs: str) -> None:
    assert _blocks(tabs) == PANELS


def test_the_label_of_a_tab_within_a_tab_says_both() -> None:
    inner = "<div><ul role=tablist><li role=tab>npm<li role=tab>yarn</ul><div role=tabpanel>N</div><div role=tabpanel>"
    tabs = (
        f"<div><ul role=tablist><li role=tab>Node<li role=tab>Deno</ul><div role=tabpanel>{inner}Y</div></div></div>"
        "<div role=tabpanel>D</div></div>"
    )
    assert _blocks(tabs) == ["**Node**", "**Node: npm**", "N", "**Node: yarn**", "Y", "**Deno**", "D"]


def test_tabs_without_a_panel_for_each_are_frame() -> None:
    tabs = "<div><ul role=tablist><li role=tab>A<li role=tab>B</ul><div role=tabpanel>Shown.</div></div>"
    assert _blocks(tabs) == ["Shown."]


def test_labels_of_a_form_stay_where_they_are() -> None:
    fields = "<div><label for=a>Name</label><input id=a></div><div><label for=b>Colour</label><input id=b></div>"
    assert _blocks(f"{fields}<p>Both are asked for.</p>") == ["Name", "Colour", "Both are asked for."]


CODE = "<pre><code>port: 1</code></pre>"
SHOWN = "```yaml\nport: 1\n```"


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(
            f'<div class="language-yaml"><button>Copy</button><span class="lang">yaml</span>{CODE}</div>',
            id="VitePress",
        ),
        pytest.param(
            f'<div class="highlight" data-lang="yaml"><div class="head">YAML</div>{CODE}</div>', id="in capitals"
        ),
    ],
)
def test_the_language_above_code_is_said_by_its_fence(frame: str) -> None:
    """Else it would part the code from the line that introduces it."""
    assert _blocks(f"<p>Set the port:</p>{frame}") == ["Set the port:", SHOWN]


@every_row(
    "frame",
    [
        pytest.param(
            f'<figure class="frame"><figcaption class="header"><span class="title">app.yaml</span></figcaption>{CODE}'
            "</figure>",
            id="Starlight",
        ),
        pytest.param(
            f'<div class="language-yaml theme-code-block"><div class="codeBlockTitle_x">app.yaml</div>'
            f'<div class="codeBlockContent_x">{CODE}<div><button>Copy</button></div></div></div>',
            id="Docusaurus",
        ),
        pytest.param(f'<div class="highlight"><span class="filename">app.yaml</span>{CODE}</div>', id="Material"),
        pytest.param(
            f'<div class="listingblock"><div class="title">app.yaml</div><div>{CODE}</div></div>', id="AsciiDoc"
        ),
    ],
)
def test_the_name_of_a_file_is_the_title_of_its_code(frame: str) -> None:
    assert [block.replace("```yaml", "```") for block in _blocks(frame)] == [
        "**app.yaml**",
        SHOWN.replace("yaml", "", 1),
    ]


def test_code_among_text_has_no_title() -> None:
    text = '<div class="code-samples"><div class="lead">See the port.</div><pre>a</pre><pre>b</pre></div>'
    assert _blocks(text) == ["See the port.", "```\na\n```", "```\nb\n```"]


@every_row("name", ["custom-block-title", "admonition-title", "markdown-alert-title", "title"])
def test_the_title_of_a_note_is_a_line_of_its_own(name: str) -> None:
    note = f'<div class="warning custom-block"><p class="{name}">Stop</p><p>Keep the lid closed.</p></div>'
    assert _blocks(note) == ["**Stop**", "Keep the lid closed."]


@every_row(
    "picture",
    [
        pytest.param("<figure><img src=a.png><figcaption>The empty hub</figcaption></figure>", id="a figure"),
        pytest.param(
            "<figure><img src=a.png><figcaption><p><span class=caption-text>The empty hub</span></p></figcaption>"
            "</figure>",
            id="Sphinx",
        ),
        pytest.param(
            "<div class='thumb tright'><div class=thumbinner><a href=/a><img src=a.png></a><div class=thumbcaption>"
            "<div class=magnify><a href=/a title=Enlarge></a></div>The empty hub</div></div></div>",
            id="MediaWiki",
        ),
        pytest.param(
            "<div class=wp-caption><img src=a.png><p class=wp-caption-text>The empty hub</p></div>", id="WordPress"
        ),
    ],
)
def test_the_caption_of_a_picture_is_told_from_running_text(picture: str) -> None:
    assert _blocks(f"<p>Open it.</p>{picture}<p>Close it.</p>") == ["Open it.", "*The empty hub*", "Close it."]


def test_what_a_figure_says_of_a_table_is_no_caption_of_a_picture() -> None:
    table = "<table><tr><th>Plan<th>Price<tr><td><img src=a.png>Plus<td>3</table>"
    assert _blocks(f"<figure>{table}<figcaption>Our prices</figcaption></figure>")[-1] == "Our prices"
