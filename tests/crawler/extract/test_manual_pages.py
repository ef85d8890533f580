"""Manuals as programs convert them: terms and headings that are links to themselves, bullets that are terms,
definitions of functions."""

import pytest

from crawler.extract.markdown.text_links import without_targets
from crawler.extract.page import Heading
from tests.crawler.extract.test_extraction import FILLER, _page, assert_headings_agree
from tests.every_row import every_row


def _blocks(html: str) -> list[str]:
    return _page(f"<main><p>{FILLER}</p>{html}</main>").markdown.split("\n\n")[1:]


def test_a_heading_that_is_a_link_to_itself_keeps_its_words() -> None:
    page = _page(f'<main><h1 id="FILES"><a class="permalink" href="#FILES">FILES</a></h1><p>{FILLER}</p></main>')
    assert page.headings == (Heading(1, "FILES", "FILES"),)


@pytest.mark.parametrize(
    "term",
    [
        pytest.param('<a class="permalink" href="#f"><b>-f</b>, <b>--force</b></a>', id="all of the term"),
        pytest.param('<a class="permalink" href="#f"><b>-f, --force</b></a>', id="marked up"),
        pytest.param('<span><a class="permalink" href="#f">-f, --force</a></span>', id="in a span"),
    ],
)
def test_a_term_that_is_a_link_to_itself_keeps_its_words(term: str) -> None:
    assert _blocks(f'<dl><dt id="f">{term}</dt><dd>never ask</dd></dl>') == ["- **-f, --force**: never ask"]


def test_a_term_whose_first_word_is_a_link_to_itself_keeps_it() -> None:
    term = '<dt id="p"><a class="permalink" href="#p"><code>-p</code></a> <var>port</var></dt>'
    assert _blocks(f"<dl>{term}<dd>Port to connect to.</dd></dl>") == ["- **`-p` port**: Port to connect to."]


@pytest.mark.parametrize("sign", ["~.", "~#", "!"])
def test_a_term_that_is_a_sign_to_type_keeps_it(sign: str) -> None:
    term = f'<dt id="_"><a class="permalink" href="#_"><code>{sign}</code></a></dt>'
    assert _blocks(f"<dl>{term}<dd>Disconnect.</dd></dl>") == [f"- **`{sign}`**: Disconnect."]


@every_row(
    "sign",
    [
        '<a class="permalink" href="#f">¶</a>',
        '<a class="header-anchor" href="#f">Permalink</a>',
        '<a class="headerlink" href="#f">Lien vers ce titre</a>',
        '<a class="anchor-link" href="#f"><i class="material-icons">link</i></a>',
    ],
)
def test_a_sign_beside_a_heading_is_left_out(sign: str) -> None:
    page = _page(f'<main><h2 id="f">Filters{sign}</h2><p>{FILLER}</p></main>')
    assert page.headings == (Heading(2, "Filters", "f"),)


def test_bullets_written_as_terms_are_a_list() -> None:
    assert _blocks("<dl><dt>\u2022</dt><dd>Open it.</dd><dt>\u2022</dt><dd><p>Read.</p><pre>cat</pre></dd></dl>") == [
        "- Open it.\n- Read.",
        "  ```\n  cat\n  ```",
    ]


def test_numbers_written_as_terms_are_steps() -> None:
    assert _blocks("<dl><dt>1.</dt><dd>Stop it.</dd><dt>(2)</dt><dd>Start it.</dd></dl>") == [
        "1. Stop it.\n2. Start it."
    ]


def test_a_term_without_words_names_nothing() -> None:
    assert _blocks("<dl><dt><a id=x></a></dt><dd>Anything.</dd><dt>-y</dt><dd>Yes.</dd></dl>") == [
        "- Anything.\n- **-y**: Yes."
    ]


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        (["<code>+</code>", "<code>-</code>"], "- **`+`**: Text.\n- **`-`**: Text."),
        (["<kbd>?</kbd>", "<kbd>n</kbd>"], "- **`?`**: Text.\n- **`n`**: Text."),
        (["?", "n"], "- **?**: Text.\n- **n**: Text."),
    ],
    ids=["operators", "keys", "plain"],
)
def test_a_term_may_be_a_sign(terms: list[str], told: str) -> None:
    assert _blocks(f"<dl>{''.join(f'<dt>{term}</dt><dd>Text.</dd>' for term in terms)}</dl>") == [told]


def test_an_item_may_be_a_sign_in_code() -> None:
    assert _blocks("<ul><li><code>+</code></li><li><code>**</code></li></ul>") == ["- `+`\n- `**`"]


def test_a_definition_goes_on_behind_an_empty_term() -> None:
    assert _blocks("<dl><dt>-v</dt><dd>Say more.<br>Much more.</dd><dt></dt><dd>Twice says all.</dd></dl>") == [
        "- **-v**: Say more.\n  Much more. Twice says all."
    ]


def test_the_lines_of_a_term_are_names_of_the_same() -> None:
    assert _blocks("<dl><dt><code>-q</code><br><code>--quiet</code></dt><dd>Say nothing.</dd></dl>") == [
        "- **`-q`, `--quiet`**: Say nothing."
    ]


def test_a_bold_name_before_a_blank_line_is_a_term() -> None:
    """As man2html writes it."""
    told = "These are known.\n<P>\n<B>STOP</B>\n\nLook no further.\n<P>\n\n<B>Note</B>\n\nthat <B>it</B>\n\nis."
    assert _blocks(f"<h2>Rules</h2>\n{told}") == [
        "## Rules",
        "These are known.",
        "**STOP**",
        "Look no further.",
        "Note that it is.",
    ]


def test_options_share_the_definition_behind_empty_ones() -> None:
    told = "<dt>-w<dd><dt>-a<dd>Days before a warning.<dt>Release<dd><dt>Date<dd>Today.<dt>-q<dd>"
    assert _blocks(f"<dl>{told}</dl>") == [
        "- **-w, -a**: Days before a warning.\n- **Release**\n- **Date**: Today.\n- -q"
    ]


def _groff(*told: tuple[int, str]) -> str:
    """Paragraphs with their margins."""
    return "".join(f'<p style="margin-left:{margin}%; margin-top: 1em">{text}</p>\n\n' for margin, text in told)


def test_a_short_line_above_what_is_indented_is_a_term() -> None:
    told = _groff(
        (11, "Lamps:"), (11, "<b>-w</b>, <b>--warm</b>"), (22, "Light it warm."), (22, "Not hot"), (11, "Ends.")
    )
    assert _blocks(told) == ["Lamps:", "**-w, --warm**", "Light it warm.", "Not hot", "Ends."]
    assert _blocks("<p><i>Warm=</i>\n<dl compact><dt><dd>Light it warm.</dl>") == ["**Warm=**", "Light it warm."]


def test_the_sign_of_an_item_may_stand_above_it() -> None:
    assert _blocks(_groff((0, "1."), (23, "Light it."), (0, "2."), (23, "Wait."))) == ["1. Light it.", "2. Wait."]


def test_what_hangs_beside_a_name_or_a_sign_in_a_table_is_its_own() -> None:
    rows = "".join(
        f"<tr><td></td><td><p>{name}</p></td><td></td><td><p>{told}</p></td></tr>"
        for name, told in [("<b>-w</b>", "Light it warm."), ("o", "Or not.")]
    )
    assert _blocks(f"<table>{rows}</table>") == ["**-w**", "Light it warm.", "- Or not."]


def test_a_section_that_is_indented_is_no_quotation() -> None:
    indented = "<blockquote><p>One disk is enough.</p><p>Two are safer.</p></blockquote>"
    assert _blocks(f"<h2>Disks</h2>{indented}") == ["## Disks", "One disk is enough.", "Two are safer."]
    assert _blocks(f"<p>They say:</p>{indented}")[1:] == ["> One disk is enough.\n>\n> Two are safer."]


def test_definitions_without_terms_are_an_indentation() -> None:
    assert _blocks("<dl><dt><dd><dl><dt>-q</dt><dd>Quiet.</dd></dl></dl>") == ["- **-q**: Quiet."]


def test_the_first_part_of_a_docbook_list_item_names_the_others() -> None:
    def item(option: str, default: str, text: str) -> str:
        parts = {"Option": f"<code>{option}</code>", "Default": f"<code>{default}</code>", "Description": text}
        titled = (
            f'<div class="seg"><strong><span class="segtitle">{name}: </span></strong>{told}</div>'
            for name, told in parts.items()
        )
        return f'<div class="seglistitem"><a id="{option}"></a>{"".join(titled)}</div>'

    options = item("Log", "false", "Write what is done to a file.") + item("Log-File", "app.log", "The file.")
    assert _blocks(f'<div class="segmentedlist">{options}</div>') == [
        "**`Log`**",
        "Default: `false`",
        "Description: Write what is done to a file.",
        "**`Log-File`**",
        "Default: `app.log`",
        "Description: The file.",
    ]


def test_a_long_first_part_of_a_docbook_list_item_names_nothing() -> None:
    told = "It is read before the lamp is lit, and once more when it goes out. " * 3
    item = f'<div class="seg"><strong><span class="segtitle">Use: </span></strong>{told}</div>'
    assert _blocks(f'<div class="segmentedlist"><div class="seglistitem">{item}</div></div>') == [
        f"Use: {told.strip()}"
    ]


def test_how_a_program_is_called_is_one_line() -> None:
    row = "<tr><td><code>pump</code></td><td>[<code>-q</code>] <var>file</var></td></tr>"
    assert _blocks(f'<table class="Nm">{row}</table>') == ["`pump` [`-q`] file"]


def test_how_docbook_says_that_a_program_is_called_is_code() -> None:
    first = "<p><code class=command>bind</code>  <em><code>map</code></em>\n <em><code>key</code></em><br>\n"
    second = "<p><code class=command>pump</code> { <em><code>*</code></em>  |   <code>-q</code> }</p>"
    synopses = [f"<div class=cmdsynopsis>{text}</div>" for text in (f"{first}<code>unbind</code> *</p>", second)]
    told = _blocks(f"<p>Usage:</p>{synopses[0]}\n{synopses[1]}<p>Or so:</p>{synopses[1]}")
    assert told == [
        "Usage:",
        "```\nbind map key\nunbind *\npump { * | -q }\n```",
        "Or so:",
        "```\npump { * | -q }\n```",
    ]


def test_breaks_at_the_ends_of_lines_of_code_are_no_blank_lines() -> None:
    assert _blocks("<pre>\n<br/>\n<b>find / \\</b>\n<br/>\n-delete<br/>\n</pre>") == ["```\nfind / \\\n-delete\n```"]


_NEIGHBOURS = (
    '<hr><div class="header"><p>Next: <a href="b.html"{}>Pumps</a>, Up: <a href="u.html">Water</a> &nbsp; '
    '[<a href="i.html#C" rel="contents">Contents</a>][<a href="x.html" rel="index">Index</a>]</p></div><hr>'
)


def _texinfo(html: str) -> list[str]:
    text = f'<h3 class="section">2.1 Tanks</h3><p>{FILLER}</p>{html}'
    page = _page(
        _NEIGHBOURS.format(' accesskey="n" rel="next"') + text + _NEIGHBOURS.format(""),
        "<title>Tanks (GNU Station (version 2))</title>",
    )
    assert page.title == "Tanks"
    return page.markdown.split("\n\n")


def test_a_line_of_links_to_the_chapters_around_is_frame() -> None:
    assert _texinfo("") == ["### 2.1 Tanks", FILLER.strip()]


def test_a_line_in_a_text_that_links_to_the_next_page_stays() -> None:
    text = (
        '<p>What a pump does: see <a rel="next" href="b.html">the next page</a> and, above, <a href="u">Water</a>.</p>'
    )
    page = _page(f"<main><h1>T</h1><p>{FILLER}</p>{text}</main>")
    assert without_targets(page.markdown).endswith("above, Water.")


@pytest.mark.parametrize(
    "terms",
    [
        pytest.param(
            "<dl class=def><dt id=a><span class=category>: </span><span><strong>fill</strong> <em>(<var>a</var>)"
            "</em><a href='#a' class='copiable-anchor'> &para;</a></span></dt><dt id=b><span class=category>: </span>"
            "<strong>fill</strong> <em>(<var>a</var>, &hellip;)</em></dt>",
            id="Texinfo 6",
        ),
        pytest.param(
            "<dl class='first-deftypefn'><dt class=deftypefn id=a><strong class='def-name'>fill</strong> "
            "<code class='def-code-arguments'>(a)</code><a class='copiable-link' href='#a'> &para;</a></dt>"
            "<dt class=deftypefn><strong class='def-name'>fill</strong> <code>(a, &hellip;)</code></dt>",
            id="Texinfo 7",
        ),
    ],
)
def test_the_forms_of_a_function_are_one_line_of_code(terms: str) -> None:
    found = _texinfo(f"{terms}<dd><p>Fill it.</p><p>Up to the line.</p></dd></dl>")
    assert found[2:] == ["`fill (a)` · `fill (a, …)`", "Fill it.", "Up to the line."]


def test_what_a_function_is_stands_before_its_name() -> None:
    term = "<dt><span class=category>Command: </span><strong>fill</strong> <em>a</em></dt>"
    assert _texinfo(f"<dl class=def>{term}<dd><p>Fill.</p></dd></dl>")[2:] == ["`Command: fill a`", "Fill."]


def test_the_list_of_a_chapters_sections_is_no_text() -> None:
    assert _texinfo("<ul class=section-toc><li><a href='c.html'>Cleaning</a></ul>") == _texinfo("")


def test_a_heading_within_a_section_stands_below_it() -> None:
    section = "<h4 class=unnumberedsubsubsec>{0}</h4><p>Fill it.</p><h4 class=subsubheading>See also</h4><p>Pumps.</p>"
    page = _page(f"<main><h3>Water</h3><p>{FILLER}</p>{section.format('Tanks')}{section.format('Pumps')}</main>")
    names = [(heading.level, heading.text) for heading in page.headings]
    assert names == [(3, "Water"), (4, "Tanks"), (5, "See also"), (4, "Pumps"), (5, "See also")]
    assert_headings_agree(page)


def test_who_wrote_a_book_is_no_heading() -> None:
    writers = "<div class=author><h3 class=author>A. Miller</h3></div><h4 class=editedby>Edited by</h4>"
    page = _page(f"<main><div class=titlepage><h2 class=title>Tanks</h2>{writers}</div><p>{FILLER}</p></main>")
    assert page.headings == (Heading(2, "Tanks"),)
    assert "A. Miller" in page.markdown


PICTURE = (
    '<div class="mediaobject"><img src="a.png" alt="A new image"><div class="caption"><p>It is empty.</p></div></div>'
)


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(f'<div class="figure"><p><b>Figure 7. A new image</b></p>{PICTURE}</div><br>', id="with a title"),
        pytest.param(PICTURE, id="alone"),
        pytest.param("<figure><img src=a.png><figcaption>It is empty.</figcaption></figure>", id="a figure"),
    ],
)
def test_what_stands_below_the_picture_of_a_step_is_left_out(picture: str) -> None:
    steps = f"<ol><li>{picture}<p>Create an image.</p></li><li><p>Draw a line.</p>{picture}</li></ol>"
    assert _blocks(steps) == ["1. Create an image.\n2. Draw a line."]


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(f"<ol><li>{PICTURE}</li><li>Draw a line.</li></ol>", id="the picture is all of it"),
        pytest.param(f"<ul><li><p>Create an image.</p>{PICTURE}</li></ul>", id="an item of another list"),
    ],
)
def test_other_words_below_pictures_stay(step: str) -> None:
    assert "It is empty." in "\n".join(_blocks(step))


def test_code_that_a_step_frames_stays() -> None:
    frame = "<figure><img src=copy.svg><pre>touch a</pre></figure>"
    assert "touch a" in "\n".join(_blocks(f"<ol><li><p>Create it.</p>{frame}</li></ol>"))


def test_the_link_to_a_pictures_description_by_docbook_is_left_out() -> None:
    link = '<div class="longdesc-link"><span class="longdesc-link">[<a href="ld-1.html">D</a>]</span></div>'
    assert _blocks(f"<p>The screen looks so:</p>{link}<p>Press a key.</p>") == ["The screen looks so:", "Press a key."]
