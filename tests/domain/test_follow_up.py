import pytest

from app.domain.follow_up import leans_on_history, stitched


@pytest.mark.parametrize(
    "question",
    ["and for teams?", "What about returns?", "How long does it last?", "Why?", "in black?", "Und für Teams?"],
)
def test_a_question_that_points_back_leans_on_history(question: str) -> None:
    assert leans_on_history(question)


@pytest.mark.parametrize(
    "question",
    [
        "How do I cancel my subscription?",
        "What does the Pro plan cost per month?",
        "Is there a student discount on the plans?",
        "...",
    ],
)
def test_a_question_that_names_its_subject_stands_alone(question: str) -> None:
    assert not leans_on_history(question)


def test_a_stitch_puts_the_last_two_questions_in_front() -> None:
    assert stitched("and for teams?", ["hello", "prices?", "yearly?"]) == "prices? yearly? and for teams?"
