"""A question in another language than the index is looked for by the words that name something."""

import pytest

from app.core.text.words import naming_spans, without_stop_words
from tests.every_row import every_row


@every_row(
    ("question", "language", "looked_for"),
    [
        pytest.param("Wie erstelle ich einen Serienbrief?", "de", "erstelle Serienbrief?", id="German"),
        pytest.param("¿Cómo puedo cambiar la contraseña?", "es", "cambiar contraseña?", id="Spanish"),
        pytest.param("How do I reset it?", "en", "How do I reset it?", id="English is left to the index"),
        pytest.param("Hur byter jag?", "sv", "Hur byter jag?", id="a language that we do not speak"),
        pytest.param("Wie reset ich?", None, "Wie reset ich?", id="an unknown language"),
        pytest.param("Wie ist das?", "de", "Wie ist das?", id="nothing else would be left"),
        pytest.param("パスワードを変更", "ja", "パスワードを変更", id="no spaces between words"),
        pytest.param("Was macht --force bei git-push?", "de", "macht --force git-push?", id="code stays whole"),
        pytest.param("", "de", "", id="nothing"),
    ],
)
def test_words_that_name_nothing_are_left_out(question: str, language: str | None, looked_for: str) -> None:
    assert without_stop_words(question, language) == looked_for


@every_row(
    ("question", "language", "named"),
    [
        ("How much is an order from libraries abroad?", "en", ["order", "libraries", "abroad"]),
        ("Wie erstelle ich einen Serienbrief?", "de", ["erstelle", "Serienbrief"]),
        ("How do I pay?", None, ["pay"]),
        ("How do I pay?", "sv", ["pay"]),
        ("What is this?", "en", []),
        ("", "en", []),
    ],
)
def test_the_words_that_name_something_are_found(question: str, language: str | None, named: list[str]) -> None:
    assert [question[start:end] for start, end in naming_spans(question, language)] == named
