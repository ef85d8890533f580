"""Prompts name a language in English."""

from app.core.text.language_names import language_name
from app.core.text.languages import LANGUAGES
from app.kit.language_guesser import LanguageGuesser


def test_every_language_that_is_spoken_or_guessed_has_a_name() -> None:
    guessed = LanguageGuesser().languages - {"zxx"}  # "no linguistic content"
    assert {code for code in guessed | LANGUAGES if not language_name(code)} == set()


def test_names_are_english() -> None:
    assert [language_name(code) for code in ("de", "sl", "zh", "nothing")] == ["German", "Slovenian", "Chinese", ""]
