"""What another threshold would have done, worked out from what searches had found."""

import pytest

from app.search.threshold_curve import THRESHOLDS, GoldenConfidence, PastConfidences, points_of
from tests.every_row import every_row

CURATED = PastConfidences(is_curated=True)
IN_VAIN = PastConfidences(is_curated=False)
TWO_CLOSE = PastConfidences(is_curated=False, found=(0.47, 0.42, 0.1))
ONE_SURE = PastConfidences(is_curated=False, found=(0.97, 0.2))


@every_row(
    ("turn", "answered_up_to"),
    [
        pytest.param(CURATED, 1.0, id="a curated answer needs no search"),
        pytest.param(IN_VAIN, None, id="what found nothing is never answered"),
        pytest.param(TWO_CLOSE, 0.45, id="the best chunk decides"),
        pytest.param(ONE_SURE, 0.95, id="however far the next one is behind"),
    ],
)
def test_a_turn_is_answered_up_to_a_threshold(turn: PastConfidences, answered_up_to: float | None) -> None:
    answered = [threshold for threshold in THRESHOLDS if turn.would_be_answered(threshold)]
    assert answered == [threshold for threshold in THRESHOLDS if threshold <= (answered_up_to or -1.0)]


@pytest.mark.parametrize(
    ("golden", "right"),
    [
        pytest.param(GoldenConfidence(0.5, is_answerable=True, is_found=True), [True, True, False], id="found"),
        pytest.param(GoldenConfidence(0.5, is_answerable=True, is_found=False), [False] * 3, id="another page"),
        pytest.param(GoldenConfidence(0.5, is_answerable=False, is_found=False), [False, False, True], id="to decline"),
    ],
)
def test_a_golden_question_goes_right_or_not(golden: GoldenConfidence, right: list[bool]) -> None:
    assert [golden.would_be_right(threshold) for threshold in (0.0, 0.5, 0.55)] == right


def test_a_curve_has_shares_for_every_threshold() -> None:
    points = points_of([CURATED, IN_VAIN, TWO_CLOSE, ONE_SURE], [])
    assert [point.threshold for point in points] == list(THRESHOLDS)
    assert [point.answered for point in points if point.threshold in (0.0, 0.5, 1.0)] == [0.75, 0.5, 0.25]
    assert {point.golden_right for point in points} == {None}
