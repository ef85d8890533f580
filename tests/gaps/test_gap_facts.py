"""Why a gap was not answered, and how much it is worth closing."""

import pytest

from app.core.turn import GapReason
from app.gaps.gap import FoundThen, GapFacts, Shortfall, Snapshot, found_then, shortfall
from tests.every_row import every_row

LOW = GapReason.LOW_CONFIDENCE


@every_row(
    ("confidences", "reason", "is_gone", "why"),
    [
        ((), LOW, False, Shortfall.NOTHING_CLOSE),
        ((0.19,), LOW, False, Shortfall.NOTHING_CLOSE),
        ((0.1, 0.2), LOW, False, Shortfall.UNDER_THRESHOLD),
        ((0.39,), GapReason.FAILURE_WORDS, False, Shortfall.UNDER_THRESHOLD),
        ((0.4,), GapReason.FAILURE_WORDS, False, Shortfall.MODEL_DECLINED),
        ((0.9,), GapReason.THUMBS_DOWN, False, Shortfall.DISLIKED),
        ((), GapReason.THUMBS_DOWN, False, Shortfall.DISLIKED),
        ((0.39,), GapReason.REPHRASED, False, Shortfall.UNDER_THRESHOLD),
        ((0.9,), GapReason.REPHRASED, False, Shortfall.STOPPED),
        ((0.9,), LOW, True, Shortfall.PAGE_GONE),
        ((0.3,), GapReason.THUMBS_DOWN, True, Shortfall.PAGE_GONE),
        ((0.1,), LOW, True, Shortfall.NOTHING_CLOSE),
    ],
)
def test_why_it_fell_short(confidences: tuple[float, ...], reason: GapReason, is_gone: bool, why: Shortfall) -> None:
    found = [FoundThen("https://a.example/", "A", confidence, 0.5, None) for confidence in confidences]
    assert shortfall(found, reason, 0.4, is_gone=is_gone) is why


def test_a_trace_without_a_ranking_found_nothing() -> None:
    assert found_then({"stages": []}) == ()


def test_what_many_ask_now_is_worth_more_than_what_one_asks_often_or_many_asked_once() -> None:
    many_now = GapFacts(5, 5, 0, (), ())
    one_often = GapFacts(1, 10, 0, (), ())
    many_once = GapFacts(9, 0, 9, (), ())
    assert (many_now.impact, one_often.impact, many_once.impact) == (30, 11, 9)


@every_row(
    ("confidences", "answers_from"),
    [
        pytest.param((), None, id="nothing was found"),
        pytest.param((0.37,), 0.37, id="one chunk alone"),
        pytest.param((0.2, 0.379, 0.312), 0.37, id="the best, in whatever order they stood"),
        pytest.param((0.149, 0.05), None, id="where it would have to be so low that it harms"),
        pytest.param((0.15,), 0.15, id="the least that is advised"),
        pytest.param((0.004, 0.003), None, id="so little that every question would be answered"),
    ],
)
def test_the_threshold_that_would_have_answered(confidences: tuple[float, ...], answers_from: float | None) -> None:
    found = tuple(FoundThen("https://a.example/", "A", confidence, 0.5, None) for confidence in confidences)
    assert Snapshot(Shortfall.UNDER_THRESHOLD, found).answers_from == answers_from
