"""There is one list of languages, and each of them is whole."""

from pathlib import Path

from app.core.text.canned_messages import canned_messages
from app.core.text.languages import LANGUAGES, language_table
from tests.every_row import every_row

WIDGET_WORDS = Path(__file__).resolve().parents[2] / "widget/src/words"


def test_the_widget_speaks_the_languages_of_the_server() -> None:
    assert {path.stem for path in WIDGET_WORDS.glob("*.json")} == LANGUAGES


@every_row("language", sorted(LANGUAGES))
def test_a_language_has_every_part(language: str) -> None:
    english, table = language_table("en"), language_table(language)
    assert table.keys() == english.keys()
    for name in ("clauses", "comparison", "details", "questions", "small_talk", "units"):
        assert table[name].keys() == english[name].keys()
    assert all(table["details"].values())
    assert all(table["units"].values())
    assert all(table["clauses"].values())
    assert table["comparison"]["forms"]
    assert table["language_names"].keys() == english["language_names"].keys() >= LANGUAGES
    assert all(table["language_names"].values())
    assert table["failure"]
    assert all(getattr(canned_messages(language), name) for name in english["words"])


def test_a_language_that_we_do_not_speak_is_answered_in_english() -> None:
    assert canned_messages("sv") is not None
    assert canned_messages("sv") == canned_messages("en") == canned_messages(None)
