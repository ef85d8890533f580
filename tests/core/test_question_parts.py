"""A text that asks two or three questions is answered one by one."""

import pytest

from app.core.text.question_parts import question_parts
from tests.every_row import every_row
from tests.linear_time import takes_linear_time


@every_row(
    ("text", "parts"),
    [
        pytest.param(
            "What does delivery cost and how long does it take?",
            ["What does delivery cost", "how long does it take?"],
            id="joined by a word",
        ),
        pytest.param(
            "Is the battery included, and can I change it, or do I need a tool?",
            ["Is the battery included", "can I change it", "do I need a tool?"],
            id="three of them",
        ),
        pytest.param(
            "I live in Norway: what does delivery cost me, and who pays if I send it back?",
            ["I live in Norway what does delivery cost me", "I live in Norway who pays if I send it back?"],
            id="what is told before belongs to each",
        ),
        pytest.param(
            "Where is my order? Can I still cancel it?",
            ["Where is my order?", "Can I still cancel it?"],
            id="two sentences",
        ),
        pytest.param(
            "Do you ship to Malta and for how long is it under warranty?",
            ["Do you ship to Malta", "for how long is it under warranty?"],
            id="one that begins with a preposition",
        ),
    ],
)
def test_the_questions_of_a_text(text: str, parts: list[str]) -> None:
    assert question_parts(text, "en") == parts
    assert question_parts(text, None) == parts


@every_row(
    "text",
    [
        pytest.param("What does the Plus plan cost?", id="one question"),
        pytest.param("My card was declined, will I lose my data?", id="one question about what is told before it"),
        pytest.param("When two entries are equal, do they keep their order?", id="when it is"),
        pytest.param("How do I copy and paste a chart?", id="two verbs"),
        pytest.param("How do I make a photo book and have it printed?", id="what is done after it"),
        pytest.param("Which colours and which sizes are there?", id="two subjects"),
        pytest.param("What does it cost and when?", id="a word that means nothing alone"),
        pytest.param("restart the hub and wait", id="no question"),
        pytest.param("What is a hub? What is a cap? What is a lid? What is a nut?", id="more than an answer holds"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_text_that_asks_one_thing_is_one(text: str) -> None:
    assert question_parts(text, "en") == []


@every_row(
    ("language", "text", "count"),
    [
        ("de", "Was kostet der Versand und wie lange dauert er?", 2),
        ("es", "¿Cuánto cuesta el envío y cuánto tarda en llegar?", 2),
        ("fr", "Combien coûte la livraison et quand est-elle faite ?", 2),
        ("pl", "Ile kosztuje dostawa i jak długo trwa?", 2),
        ("ru", "Сколько стоит доставка и как долго она идёт?", 2),
        ("zh", "运费是多少？需要多长时间？", 2),
        ("zh", "运费是多少？", 0),
        ("sv", "Vad kostar frakten? Hur lång tid tar den?", 2),
    ],
)
def test_languages_have_their_own_words(language: str, text: str, count: int) -> None:
    assert len(question_parts(text, language)) == count


@pytest.mark.parametrize("unit", ["what is it, and ", "and what ", "what is the hub, ", "a "])
def test_long_texts_take_linear_time(unit: str) -> None:
    assert takes_linear_time(lambda text: question_parts(text, "en"), unit, 4_000)
