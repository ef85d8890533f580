"""Marks of sources in an answer."""

from app.core.text.answer_words import marked_numbers, without_citations


def test_marks_are_numbers_in_brackets_that_are_no_links() -> None:
    assert marked_numbers("Three years [2], or five [1][12]. See [3](https://x.example) and [1234].") == [2, 1, 12]


def test_a_text_without_citations_has_no_blanks_where_they_were() -> None:
    text = "Three years [2], or five [1] [12].\n\n[1]\n\nSee [3](https://x.example)."
    assert without_citations(text) == "Three years, or five.\n\n\n\nSee [3](https://x.example)."
