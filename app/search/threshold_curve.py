"""What another confidence threshold would have done to the questions of the past."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.search.confidence import is_low

THRESHOLDS: Final = tuple(round(number / 20, 2) for number in range(21))


@dataclass(frozen=True, slots=True)
class PastConfidences:
    """What a turn's search thought of its best chunks, each in [0, 1]. One `is_curated` asked no search."""

    is_curated: bool
    found: tuple[float, ...] = ()

    def would_be_answered(self, threshold: float) -> bool:
        survivors = sum(confidence >= threshold for confidence in self.found)
        return self.is_curated or not is_low(survivors, max(self.found, default=0.0))


@dataclass(frozen=True, slots=True)
class GoldenConfidence:
    """How sure the draft was of a golden question, and whether what it had was right: a page that answers, an answer
    with the words that are expected; `is_answerable` where the website answers it."""

    confidence: float
    is_answerable: bool
    is_found: bool

    def would_be_right(self, threshold: float) -> bool:
        answers = self.confidence >= threshold
        return answers and self.is_found if self.is_answerable else not answers


@dataclass(frozen=True, slots=True)
class ThresholdPoint:
    """Shares in [0, 1]: of turns that would be answered, of golden questions that would go right. None of nothing."""

    threshold: float
    answered: float | None
    golden_right: float | None


@dataclass(frozen=True, slots=True)
class ThresholdCurve:
    """By rising threshold. `current` is the draft's; `turns` and `golden_questions` are what the shares are of, those
    of the run `golden_run_id`."""

    days: int
    turns: int
    golden_questions: int
    golden_run_id: UUID | None
    current: float
    points: tuple[ThresholdPoint, ...]


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
