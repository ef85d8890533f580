"""Letters that readers take for the same."""

import pytest

from app.core.text.letter_forms import in_one_form
from tests.every_row import every_row


@every_row(
    ("one", "other"),
    [
        pytest.param("كتاب علي", "کتاب على", id="Arabic and Persian keyboards"),
        pytest.param("مُدَرِّس", "مدرس", id="Arabic vowel signs"),
        pytest.param("שָׁלוֹם", "שלום", id="Hebrew points"),
        pytest.param("網路設定", "网路设定", id="traditional and simplified"),
        pytest.param("۲۰۲۶ ٢٠٢٦ २०२६ ２０２６ ๒๐๒๖", "2026 2026 2026 2026 2026", id="digits of every script"),
    ],
)
def test_one_form_of_each(one: str, other: str) -> None:
    assert in_one_form(one) == in_one_form(other)


@every_row("text", ["Café, ёлка, niño", "ひらがな 東", "한국어", "plain"])
def test_other_letters_differ_still(text: str) -> None:
    assert len(set(in_one_form(text))) == len(set(text))
