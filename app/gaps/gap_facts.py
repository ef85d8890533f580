"""What is known of one gap: who asked it, when, in which words, and what search found for it then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import floor
from typing import Any
from uuid import UUID

from app.core.gap_state import GapReason
from app.core.turn import Channel
from app.search.confidence import is_low

TREND_DAYS = 28
_CLOSE = 0.5  # of the threshold


class Shortfall(StrEnum):
    """Why the latest asking was not answered."""

    NOTHING_CLOSE = "nothing_close"  # the best chunk stays under half of the threshold
    UNDER_THRESHOLD = "under_threshold"  # something was close, and not sure enough
    MODEL_DECLINED = "model_declined"  # it was found, and the answer says all the same that it does not know
    PAGE_GONE = "page_gone"  # the page that was found best is no longer known
    STOPPED = "stopped"  # it was found, and the visitor stopped the answer and asked in other words
    DISLIKED = "disliked"  # it was answered, and the thumb went down or an operator flagged it


@dataclass(frozen=True, slots=True)
class GapSample:
    """One asking. Personal data is masked in its question; the conversation has the whole."""

    turn_id: UUID
    conversation_id: UUID
    question: str
    language: str | None
    reason: GapReason
    asked_at: datetime
    channel: Channel = Channel.WIDGET


@dataclass(frozen=True, slots=True)
class GapFacts:
    """`this_week` counts askings of the last 7 days, `week_before` those of the 7 before, `by_day` those of the
    last TREND_DAYS spans of 24 hours, oldest first; samples come latest first, languages (BCP 47 primary subtags) most
    spoken first."""

    visitors: int
    this_week: int
    week_before: int
    languages: tuple[str, ...]
    samples: tuple[GapSample, ...]
    by_day: tuple[int, ...] = ()

    @property
    def impact(self) -> int:
        """How much a gap is worth closing: visitors x (1 + askings of the last 7 days). Who asks ten times is one
        visitor, and what nobody asks any more sinks."""
        return self.visitors * (1 + self.this_week)


@dataclass(frozen=True, slots=True)
class GrowingGap:
    """An open gap that was asked more often in the last 7 days than in the 7 before; both count as in GapFacts."""

    id: UUID
    agent_id: UUID
    question: str
    this_week: int
    week_before: int


@dataclass(frozen=True, slots=True)
class FoundThen:
    """One chunk that search had found; `confidence` in [0, 1] is what the threshold is compared with."""

    url: str
    title: str
    confidence: float
    cosine: float | None
    bm25: float | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What search found when the gap was last asked, best first, and why that fell short. `text_source_id` is the
    source of kind "text" that the best of it is from."""

    why: Shortfall
    found: tuple[FoundThen, ...]
    text_source_id: UUID | None = None

    @property
    def answers_from(self) -> float | None:
        """The highest threshold, in hundredths, at which this would have been answered from; None where none is low
        enough."""
        confidences = sorted((item.confidence for item in self.found), reverse=True)
        for survivors, confidence in enumerate(confidences, start=1):
            threshold = floor(confidence * 100) / 100
            if threshold > 0 and not is_low(survivors, confidences[0]):
                return threshold
        return None


def found_then(trace: Mapping[str, Any]) -> tuple[FoundThen, ...]:
    """Of a turn's trace."""
    return tuple(
        FoundThen(item["url"], item["title"], item["calibrated"], item["cosine"], item["bm25"])
        for item in trace.get("ranked", ())
    )


def shortfall(found: Sequence[FoundThen], reason: GapReason, threshold: float, *, is_gone: bool) -> Shortfall:
    """`is_gone`: the page of the first of `found` is no longer known."""
    best = max((item.confidence for item in found), default=0.0)
    if is_gone and best >= threshold * _CLOSE:
        return Shortfall.PAGE_GONE
    if reason in (GapReason.THUMBS_DOWN, GapReason.FLAGGED):
        return Shortfall.DISLIKED
    if best < threshold * _CLOSE or not found:
        return Shortfall.NOTHING_CLOSE
    if best < threshold or reason is GapReason.LOW_CONFIDENCE:  # no passage of what was found was sure enough
        return Shortfall.UNDER_THRESHOLD
    return Shortfall.STOPPED if reason is GapReason.REPHRASED else Shortfall.MODEL_DECLINED
