"""Follow-ups are told from whole new questions, in every language that we speak."""

import pytest

from app.answers.query_contextualizer import leans_on_history, stitched
from app.core.text.languages import LANGUAGES
from tests.answers.follow_up_questions import FOLLOW_UPS, NEW_QUESTIONS
from tests.every_row import every_row


def test_the_tables_have_every_language() -> None:
    assert set(FOLLOW_UPS) == set(NEW_QUESTIONS) == LANGUAGES
    assert sum(map(len, FOLLOW_UPS.values())) >= 110
    assert sum(map(len, NEW_QUESTIONS.values())) >= 110


def test_of_a_hundred_follow_ups_ninety_eight_lean_on_history() -> None:
    asked = [question for questions in FOLLOW_UPS.values() for question in questions]
    missed = [question for question in asked if not leans_on_history(question)]
    assert len(missed) <= 0.02 * len(asked), missed


def test_of_a_hundred_new_questions_ninety_eight_stand_alone() -> None:
    asked = [question for questions in NEW_QUESTIONS.values() for question in questions]
    joined = [question for question in asked if leans_on_history(question)]
    assert len(joined) <= 0.02 * len(asked), joined


@every_row(
    "question",
    [
        "and for teams?",
        "What about returns?",
        "How long does it last?",
        "Why?",
        "in black?",
        "Und für Teams?",
        "And what is the price?",
        "And how many days?",
    ],
)
def test_a_question_that_points_back_leans_on_history(question: str) -> None:
    assert leans_on_history(question)


@every_row(
    "question",
    [
        "How do I cancel my subscription?",
        "So where do I change my password?",
        "And how long is the warranty?",
        "Can I return a lamp if it is broken?",
        "Refund policy",
        "...",
        "How long does the battery of the big lamp last, and how do I change it when it is empty? " * 3,
    ],
)
def test_a_question_that_names_its_subject_stands_alone(question: str) -> None:
    assert not leans_on_history(question)


@every_row(
    ("earlier", "searched"),
    [
        pytest.param(["What do plans cost?"], "What do plans cost? and for teams?", id="the last question"),
        pytest.param(
            ["What do plans cost?", "and yearly?"],
            "What do plans cost? and yearly? and for teams?",
            id="the last one leans as well",
        ),
        pytest.param(
            ["What do plans cost?", "Do you ship to Norway?"],
            "Do you ship to Norway? and for teams?",
            id="the last one stands alone",
        ),
        pytest.param(["What do plans cost?", "thanks!"], "What do plans cost? and for teams?", id="thanks between"),
        pytest.param(["hello"], "and for teams?", id="nothing was asked"),
        pytest.param(["a?", "and b?", "and c?", "and d?"], "and c? and d? and for teams?", id="two at most"),
    ],
)
def test_a_stitch_puts_in_front_what_the_question_leans_on(earlier: list[str], searched: str) -> None:
    assert stitched("and for teams?", earlier) == searched
