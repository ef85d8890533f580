import pytest

from app.core.text.words import content_words, folded_words, search_terms, words
from tests.every_row import every_row


@every_row(
    ("text", "expected"),
    [
        pytest.param("What's UP?", ["What", "s", "UP"], id="punctuation cuts"),
        pytest.param("हिन्दी भाषा", ["हिन्दी", "भाषा"], id="vowel signs belong to their word"),
        pytest.param("ﬁne", ["fine"], id="ligatures are spelled out"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_words_of_any_script(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_identifiers_are_found_whole_and_in_parts() -> None:
    assert search_terms("v2 A plain Word _own") == ["v2", "A", "plain", "Word", "_own"]
    assert search_terms("DiffExecutor parse_url HTTPServer") == [
        *("DiffExecutor", "Diff", "Executor"),
        *("parse_url", "parse", "url"),
        *("HTTPServer", "HTTP", "Server"),
    ]


def test_scripts_without_spaces_are_found_by_pairs_of_characters() -> None:
    assert search_terms("東京タワー") == ["東京", "京タ", "タワ", "ワー"]


def test_a_single_character_is_its_own_term() -> None:
    assert search_terms("猫") == ["猫"]


def test_folding_ignores_case_in_every_language() -> None:
    assert folded_words("STRASSE Straße") == ["strasse", "strasse"]


def test_words_come_by_how_often_they_are_said() -> None:
    assert content_words("Rain gauge. The gauge measures rain; clean the gauge.", 2) == ["gauge", "rain"]


def test_words_of_every_text_and_numbers_tell_nothing() -> None:
    assert content_words("This is what you will have had, for 2026 of it", 5) == []


def test_identifiers_count_whole_and_in_parts() -> None:
    assert content_words("RainGauge", 5) == ["gauge", "rain", "raingauge"]
