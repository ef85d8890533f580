"""Tables become Markdown's where they compare something, and lines where they only lay out."""

import time

import pytest

from tests.crawler.extract.test_extraction import FILLER, _page, assert_headings_agree


def test_a_table_without_a_header_is_still_one_in_markdown() -> None:
    rows = "<tr><th>Size</th><td>118 mm</td></tr><tr><td></td><td></td></tr><tr><th>Weight</th><td>740 g</td></tr>"
    page = _page(f"<main><p>{FILLER}</p><table>{rows}</table></main>")
    assert page.markdown.endswith("\n\n|  |  |\n| --- | --- |\n| Size | 118 mm |\n| Weight | 740 g |")


def test_a_first_row_in_bold_is_the_header() -> None:
    bold, plain = "<tr><td><u><b>Sign</b></u></td><td><b>Says</b></td></tr>", "<tr><td>~</td><td>It is off.</td></tr>"
    page = _page(f"<main><p>{FILLER}</p><table>{bold}{plain}</table></main>")
    assert page.markdown.endswith("\n\n| Sign | Says |\n| --- | --- |\n| ~ | It is off. |")
    page = _page(f"<main><p>{FILLER}</p><table>{bold}{bold}</table></main>")
    assert page.markdown.endswith("\n\n|  |  |\n| --- | --- |\n| Sign | Says |\n| Sign | Says |")


def test_a_table_keeps_rows_columns_and_its_caption() -> None:
    table = (
        "<table><caption>Prices</caption><thead><tr><th>Plan</th><th>Per month</th></tr></thead>"
        "<tr><td>Basic</td><td rowspan=2>a | b</td></tr><tr><td><p>Plus</p></td></tr></table>"
    )
    page = _page(f"<main><p>{FILLER}</p>{table}</main>")
    assert page.markdown.endswith(
        "Prices\n\n| Plan | Per month |\n| --- | --- |\n| Basic | a \\| b |\n| Plus | a \\| b |"
    )


def test_a_cell_may_begin_as_a_heading_or_with_a_backslash() -> None:
    rows = r"<tr><th>Sign</th><th>Meaning</th></tr><tr><td>\t</td><td># begins a comment</td></tr>"
    markdown = _page(f"<main><p>{FILLER}</p><table>{rows}</table></main>").markdown
    assert "| \\t | # begins a comment |" in markdown


def test_a_table_that_lays_out_headings_is_no_table() -> None:
    page = _page(f"<main><table><tr><td><h2>A</h2><p>{FILLER}</p></td><td><h2>B</h2></td></tr></table></main>")
    assert [heading.text for heading in page.headings] == ["A", "B"]
    assert "|" not in page.markdown
    assert_headings_agree(page)


def test_names_in_a_table_are_terms_where_a_cell_holds_a_table() -> None:
    inner = "<table><tr><td>sec</td><td>seconds</td></tr><tr><td>msec</td><td>milliseconds</td></tr></table>"
    rows = f"<tr><th>Sign</th><th>Says</th></tr><tr><td><code>%t</code></td><td>The time in:{inner}</td></tr>"
    page = _page(f"<main><p>{FILLER}</p><table>{rows}<tr><td>%U</td><td>The address.</td></tr></table></main>")
    assert page.markdown.endswith(
        "\n\n**`%t`**\n\nThe time in:\n\n|  |  |\n| --- | --- |\n| sec | seconds |\n| msec | milliseconds |"
        "\n\n**%U**\n\nThe address."
    )


def test_a_note_beside_its_picture_is_no_table() -> None:
    rows = "<tr><td rowspan=2><img alt='[Note]'></td><th>Note</th></tr><tr><td><p>One.</p><p>Two | three.</p></td></tr>"
    page = _page(f"<main><p>{FILLER}</p><table summary=Note>{rows}</table></main>")
    assert page.markdown.endswith("\n\n**Note**\n\nOne.\n\nTwo | three.")


@pytest.mark.parametrize("inner", ["<td>Then restart.</td>", ""], ids=["above a cell", "alone"])
def test_code_in_a_header_stands_on_lines_of_its_own(inner: str) -> None:
    page = _page(
        f"<main><p>{FILLER}</p><table><tr><th>Type<pre>a = 1</pre></th></tr>{inner}</table><h2>Next</h2></main>"
    )
    assert "\n\nType\n\n```\na = 1\n```\n\n" in page.markdown
    assert_headings_agree(page)


def test_one_row_above_a_description_is_its_term_and_details() -> None:
    row = "<tr><td><span>size_limit</span></td><td>Type: <em>integer</em></td><td>Default: 998</td></tr>"
    page = _page(f"<main><p>{FILLER}</p><table>{row}</table><p>In bytes.</p></main>")
    assert page.markdown.endswith("\n\n**size_limit** · Type: integer · Default: 998\n\nIn bytes.")


def test_a_cell_that_spans_rows_and_columns_is_repeated_once_in_each_row() -> None:
    rows = "<tr><td rowspan=3 colspan=2>Both</td><td>a</td></tr><tr><td>b</td></tr><tr><td>c</td></tr>"
    page = _page(f"<main><p>{FILLER}</p><table><tr><th>1</th><th>2</th><th>3</th></tr>{rows}</table></main>")
    assert page.markdown.endswith("| Both |  | a |\n| Both |  | b |\n| Both |  | c |")


def test_long_cells_that_span_many_rows_do_not_multiply_the_page() -> None:
    rows = "".join(f"<tr>{f'<td rowspan=40>{FILLER} {row}</td>' * 3}</tr>" for row in range(300))
    page = f"<main><table>{rows}</table></main>"
    assert len(page) < len(_page(page).markdown) < 6 * len(page)


def test_cells_that_span_thousands_of_columns_cost_no_more_than_others() -> None:
    def seconds(span: int) -> float:
        rows = f"<tr><td rowspan={span} colspan={span}>{FILLER}</td><td>x</td></tr>" * 100
        began = time.process_time()
        assert FILLER in _page(f"<div><h1>T</h1><p>{FILLER}</p><table>{rows}</table></div>").markdown
        return time.process_time() - began

    plain = max(seconds(1), 0.05)
    assert seconds(1000) < 8 * plain
