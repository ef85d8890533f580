"""When a question of a gap, asked once more, counts as answered."""

from uuid import uuid4

import pytest

from app.core.turn import AnsweredBy, GapReason
from app.gaps.gap import GapAsking, ReplayedQuestion, TrialAnswer
from tests.every_row import every_row


@every_row(
    ("reason", "then", "now", "passes"),
    [
        pytest.param(GapReason.LOW_CONFIDENCE, "Yes.", "Yes.", True, id="it was unsure and is no more"),
        pytest.param(GapReason.THUMBS_DOWN, "Yes.", "Yes.", False, id="the answer that nobody liked"),
        pytest.param(GapReason.FLAGGED, "Yes.", "Yes, by post.", True, id="another answer than the disliked one"),
        pytest.param(
            GapReason.REPHRASED, "Yes, by", "Yes, by post.", False, id="it begins as the one that was stopped"
        ),
        pytest.param(GapReason.REPHRASED, "Yes, by", "By post, yes.", True, id="another one than was stopped"),
        pytest.param(GapReason.REPHRASED, "", "Yes, by post.", True, id="stopped before its first word"),
    ],
)
def test_an_answer_that_stands_passes_unless_it_is_the_one_that_was_not_wanted(
    reason: GapReason, then: str, now: str, passes: bool
) -> None:
    before = GapAsking(uuid4(), "By post?", "By post?", "", "en", reason, then, AnsweredBy.MODEL, 0.9, ())
    after = TrialAnswer(now, AnsweredBy.MODEL, 0.9)
    assert ReplayedQuestion(before, after).passes is passes


def test_an_answer_that_is_a_gap_again_never_passes() -> None:
    before = GapAsking(uuid4(), "By post?", "By post?", "", "en", GapReason.REPHRASED, "", None, None, ())
    after = TrialAnswer("Yes.", AnsweredBy.MODEL, 0.1, gap=GapReason.LOW_CONFIDENCE)
    assert not ReplayedQuestion(before, after).passes
