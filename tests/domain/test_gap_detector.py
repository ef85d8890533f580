import pytest

from app.domain.gap import GapReason
from app.domain.gap_detector import gap_reason, has_failure_words
from app.domain.turn import AnsweredBy, Finish


@pytest.mark.parametrize(
    "answer",
    [
        "I couldn't find anything about that.",
        "The sources do not mention a student discount.",
        "The pages don’t say whether it ships to Norway.",
        "I don't know.",
        "Dazu habe ich nichts gefunden; keine Angaben auf der Website.",
        "Je ne trouve pas cette information.",
        "No hay información sobre eso.",
    ],
)
def test_an_answer_that_admits_not_knowing_shows_a_gap(answer: str) -> None:
    assert has_failure_words(answer)
    assert (
        gap_reason(AnsweredBy.MODEL, low_confidence=False, answer=answer, finish=Finish.COMPLETE)
        is GapReason.FAILURE_WORDS
    )


@pytest.mark.parametrize(
    "answer",
    [
        "Returns are free within 30 days [1].",
        "If the app cannot find your lamp, restart Bluetooth [1].",
        "We do not charge for returns [2].",
    ],
)
def test_a_real_answer_shows_none(answer: str) -> None:
    assert gap_reason(AnsweredBy.MODEL, low_confidence=False, answer=answer, finish=Finish.COMPLETE) is None


def test_low_confidence_is_a_gap_whatever_the_words() -> None:
    assert (
        gap_reason(AnsweredBy.EXTRACTIVE, low_confidence=True, answer="30 days", finish=Finish.COMPLETE)
        is GapReason.LOW_CONFIDENCE
    )


def test_a_curated_answer_is_never_a_gap() -> None:
    assert gap_reason(AnsweredBy.CURATED, low_confidence=True, answer="I don't know.", finish=Finish.COMPLETE) is None


def test_an_answer_that_the_visitor_stopped_is_no_gap() -> None:
    assert gap_reason(AnsweredBy.MODEL, low_confidence=True, answer="I", finish=Finish.STOPPED) is None
