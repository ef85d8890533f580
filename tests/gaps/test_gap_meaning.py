"""Questions that differ in the thing that they ask about are two gaps, however near their meanings are."""

from itertools import combinations

from app.gaps.question_nearness import ask_of_different_things
from app.kit.language_guesser import LanguageGuesser
from tests.every_row import every_row
from tests.paraphrases import groups

LANGUAGES = LanguageGuesser()


@every_row(
    ("one", "other"),
    [
        ("How do I reset Model 40?", "How do I reset Model 41?"),
        ("what does error E42 mean", "what does error E43 mean"),
        ("How do I enable notifications?", "How do I disable notifications?"),
        ("can I turn alerts on", "can I turn alerts off"),
        ("Do you deliver to Berlin?", "Do you deliver to Munich?"),
        ("Was kostet Modell 40?", "Was kostet Modell 41?"),
    ],
)
def test_another_thing_makes_another_question(one: str, other: str) -> None:
    assert ask_of_different_things(one, other, LANGUAGES)
    assert ask_of_different_things(other, one, LANGUAGES)


@every_row(
    ("one", "other"),
    [
        ("How do I reset Model 40?", "how to reset model 40"),
        ("How do I reset Model 40?", "Can Model 40 be reset by its button?"),
        ("Do you ship to Norway?", "Do you send parcels to Norwegian addresses?"),
        ("Was kostet der Versand?", "Was kostet die Lieferung?"),
        ("How long is the warranty?", "How long is the guarantee?"),
    ],
)
def test_other_words_for_the_same_do_not(one: str, other: str) -> None:
    assert not ask_of_different_things(one, other, LANGUAGES)


def test_no_two_paraphrases_are_taken_for_different_questions() -> None:
    pairs = [pair for group in groups() for pair in combinations(group.questions, 2)]
    assert len(pairs) > 800
    assert [pair for pair in pairs if ask_of_different_things(*pair, LANGUAGES)] == []
