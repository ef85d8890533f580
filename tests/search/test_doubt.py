"""Why an answer is withheld is told by the rule that withheld it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.confidence import is_low
from app.search.doubt import why_unsure

SHARES = st.floats(0, 1)


@pytest.mark.parametrize(
    ("confidences", "needs_two", "words"),
    [
        ((), False, "Nothing was found."),
        ((0.18, 0.05), False, "The best passage has a confidence of 18%; the agent answers from 25%."),
        (
            (0.05, 0.49),
            False,
            "The best passage has 49%. One passage alone needs 50%; below that, a second one must have 25%, and the "
            "second best has 5%.",
        ),
        (
            (0.49,),
            False,
            "The best passage has 49%. One passage alone needs 50%; below that, a second one must have 25%, and there "
            "is none.",
        ),
        (
            (0.9, 0.2),
            True,
            "The best passage has 90%. This agent needs two passages of 25%, and the second best has 20%.",
        ),
        ((0.9, 0.2), False, ""),
        ((0.3, 0.26), False, ""),
    ],
)
def test_the_rule_is_named_with_its_figures(confidences: tuple[float, ...], needs_two: bool, words: str) -> None:
    assert why_unsure(confidences, 0.25, needs_two=needs_two) == words


@given(st.lists(SHARES, max_size=5), SHARES, st.booleans())
def test_there_is_a_reason_exactly_where_the_rule_withholds(
    confidences: list[float], threshold: float, needs_two: bool
) -> None:
    survivors = sum(confidence >= threshold for confidence in confidences)
    withheld = is_low(survivors, max(confidences, default=0.0), needs_two=needs_two)
    assert bool(why_unsure(confidences, threshold, needs_two=needs_two)) == withheld
