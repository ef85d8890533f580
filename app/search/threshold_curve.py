"""The effect that another confidence threshold would have had on past questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

THRESHOLDS: Final = tuple(round(number / 20, 2) for number in range(21))


@dataclass(frozen=True, slots=True)
class PastConfidences:
    """The confidences of a turn's best chunks, each in [0, 1]. A turn that `is_curated` made no search."""

    is_curated: bool
    found: tuple[float, ...] = ()

    def would_be_answered(self, threshold: float) -> bool:
        return self.is_curated or any(confidence >= threshold for confidence in self.found)


@dataclass(frozen=True, slots=True)
class GoldenConfidence:
    """The draft's confidence for a golden question, and whether its result was right: a page that answers it, an answer
    with the expected words; `is_answerable` if the website answers it."""

    confidence: float
    is_answerable: bool
    is_found: bool

    def would_be_right(self, threshold: float) -> bool:
        answers = self.confidence >= threshold
        return answers and self.is_found if self.is_answerable else not answers


@dataclass(frozen=True, slots=True)
class ThresholdPoint:
    """Shares in [0, 1]: of turns that would be answered, of golden questions that would be right. None if there are
    none.
    """

    threshold: float
    answered: Annotated[float | None, "The share of turns that would be answered, 0 to 1."]
    golden_right: Annotated[float | None, "The share of golden questions that would be right, 0 to 1."]


@dataclass(frozen=True, slots=True)
class ThresholdCurve:
    """By rising threshold; the shares are of `turns`, and of the `golden_questions` of the run."""

    days: int
    turns: int
    golden_questions: int
    golden_run_id: Annotated[UUID | None, "The latest run with the draft; null if there is none."]
    current: Annotated[float, "The draft's threshold."]
    points: Annotated[tuple[ThresholdPoint, ...], "By rising threshold, from 0 to 1."]


def points_of(past: Sequence[PastConfidences], golden: Sequence[GoldenConfidence]) -> tuple[ThresholdPoint, ...]:
    return tuple(
        ThresholdPoint(
            threshold,
            _share([each.would_be_answered(threshold) for each in past]),
            _share([each.would_be_right(threshold) for each in golden]),
        )
        for threshold in THRESHOLDS
    )


def _share(flags: Sequence[bool]) -> float | None:
    return round(sum(flags) / len(flags), 4) if flags else None
