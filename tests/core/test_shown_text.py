"""Markdown as plain text: the syntax goes, what changes the meaning stays."""

import pytest

from app.core.text.markdown.section_text import shown_line, shown_passage


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("A **bold** and *soft* [link](https://a.example/b) to `code`.", "A bold and soft link to code."),
        (
            "**`--leak-check=<no|yes>`** of [`ms_print`](ms.html#a) and `**kept**`.",
            "--leak-check=<no|yes> of ms_print and **kept**.",
        ),
        ("Refunds within ~~14~~ **30** days.", "Refunds within ~~14~~ 30 days."),
    ],
)
def test_a_line_is_shown_without_its_syntax_and_with_the_mark_of_what_is_withdrawn(markdown: str, shown: str) -> None:
    assert shown_line(markdown) == shown


def test_a_passage_keeps_the_mark_in_lists_and_tables() -> None:
    assert (
        shown_passage("# Prices\n\n- ~~€99~~ until May\n\n| A |\n| --- |\n| ~~€9~~ |") == "~~€99~~ until May A ~~€9~~"
    )
