"""What a page has and what is asked meet, whichever of the two writes it joined, or in other letters."""

import pytest

from app.providers.indexes.keyword_analysis import analysis_of
from tests.every_row import every_row


@every_row(
    ("language", "one", "other"),
    [
        ("en", "wifi lantern", "Wi-Fi lanterns"),
        ("en", "usbc", "USB-C"),
        ("en", "nodejs", "node.js"),
        ("en", "ABX9921K", "ABX-9921-K"),
        ("en", "abx9921k", "ABX 9921 K"),
        ("en", "0986494123", "0 986 494 123"),
        ("en", "$1299", "$1,299.00"),
        ("de", "1299 €", "1.299,00 €"),
        ("fr", "1299 €", "1\u202f299 €"),
        ("en", "256GB", "256 GB"),
        ("en", "email", "e-mail"),
        ("de", "Webseite", "Web-Seite"),
        ("fa", "کتابها", "کتاب\u200cها"),
        ("fa", "کتاب", "كتاب"),
        ("fa", "۲۰۲۶", "2026"),
        ("he", "שָׁלוֹם", "שלום"),
        ("zh", "網路設定", "网路设定"),
        ("ar", "إرجاع", "ارجاع"),
    ],
)
def test_both_spellings_meet(language: str, one: str, other: str) -> None:
    analysis = analysis_of(language)
    assert set(analysis.question_terms(one)) <= set(analysis.terms(other))
    assert set(analysis.question_terms(other)) <= set(analysis.terms(one))


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        pytest.param("ko", "환불", "환불은 7일 이내", id="Korean without its endings"),
        pytest.param("zh", "2026", "2026年", id="a number beside a script without spaces"),
        pytest.param("en", "ABX-9921", "ABX-9921-K", id="the beginning of a code"),
    ],
)
def test_a_part_is_found_in_the_whole(language: str, question: str, text: str) -> None:
    analysis = analysis_of(language)
    assert set(analysis.question_terms(question)) <= set(analysis.terms(text))


def test_a_word_in_parts_is_asked_for_either_way_and_a_code_as_a_whole() -> None:
    spellings = analysis_of("en").spellings("How do I sign-in to the ABX-9921-K customer-service?")
    assert spellings == [
        (("signin",), ("sign",)),
        (("abx9921k",),),
        (("customerservic",), ("custom", "servic")),
    ]
