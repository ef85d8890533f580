from app.answers.answer_pipeline import gap_reason
from app.core.turn import AnsweredBy, Finish, GapReason


def test_an_answer_that_admits_not_knowing_shows_a_gap() -> None:
    answer = "I couldn't find anything about that."
    assert (
        gap_reason(AnsweredBy.MODEL, low_confidence=False, answer=answer, finish=Finish.COMPLETE)
        is GapReason.FAILURE_WORDS
    )


def test_a_real_answer_shows_none() -> None:
    answer = "Returns are free within 30 days [1]."
    assert gap_reason(AnsweredBy.MODEL, low_confidence=False, answer=answer, finish=Finish.COMPLETE) is None


def test_low_confidence_is_a_gap_whatever_the_words() -> None:
    assert (
        gap_reason(AnsweredBy.EXTRACTIVE, low_confidence=True, answer="30 days", finish=Finish.COMPLETE)
        is GapReason.LOW_CONFIDENCE
    )


def test_a_curated_answer_is_never_a_gap() -> None:
    assert gap_reason(AnsweredBy.CURATED, low_confidence=True, answer="I don't know.", finish=Finish.COMPLETE) is None


def test_a_call_for_a_person_is_no_gap() -> None:
    assert gap_reason(AnsweredBy.HANDOFF, low_confidence=True, answer="I don't know.", finish=Finish.COMPLETE) is None


def test_an_answer_that_the_visitor_stopped_is_no_gap() -> None:
    assert gap_reason(AnsweredBy.MODEL, low_confidence=True, answer="I", finish=Finish.STOPPED) is None


def test_what_a_filter_refused_is_no_gap() -> None:
    assert gap_reason(AnsweredBy.MODEL, low_confidence=True, answer="I", finish=Finish.CONTENT_FILTER) is None
