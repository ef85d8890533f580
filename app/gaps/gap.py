"""Values of gaps: questions that the knowledge could not answer, their details, and the results of replays, which ask
them again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from math import floor
from typing import Annotated, Any, Final
from uuid import UUID

from app.core.setting import required
from app.core.turn import AnsweredBy, Channel, GapReason, GapState
from app.search.confidence import why_unsure


@dataclass(frozen=True, slots=True)
class GapFilter:
    """Gaps with that reason, asked in that language (BCP 47 primary subtag), seen at that moment or later, with that
    text in their question (ignoring case). None matches any."""

    reason: Annotated[GapReason | None, "The latest reason why it is a gap."] = None
    language: str | None = None
    since: Annotated[datetime | None, "Asked at this time or later."] = None
    text: Annotated[str | None, required(200), "Part of the question."] = None


EVERY_GAP = GapFilter()


class GapOrder(StrEnum):
    """The order of a list of gaps; equal ones are sorted latest first."""

    ASKED = "asked"  # most frequent first
    IMPACT = "impact"  # GapFacts.impact
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class Gap:
    """One unanswered question, however often it was asked. `question` is the latest wording, with personal data
    masked."""

    id: UUID
    agent_id: UUID
    question: str
    state: GapState
    reason: GapReason
    count: int
    first_seen: datetime
    last_seen: datetime
    note: str = ""
    assignee: str = ""


@dataclass(frozen=True, slots=True)
class GapAsking:
    """The latest asking of one wording of a gap, with the answer that the visitor got. `standalone` is the text that
    was searched for. Personal data is masked in both questions. `cited` has the URLs in the order of their
    citations."""

    turn_id: UUID
    question: str
    standalone: str
    page_url: str
    language: str | None
    reason: GapReason
    answer: str
    answered_by: AnsweredBy | None
    confidence: float | None
    cited: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrialAnswer:
    answer: str
    answered_by: AnsweredBy
    confidence: float
    cited: tuple[str, ...] = ()
    gap: Annotated[GapReason | None, "Why it is still a gap; null if the question is now answered."] = None


@dataclass(frozen=True, slots=True)
class ReplayedQuestion:
    before: GapAsking
    after: TrialAnswer

    @property
    def passes(self) -> bool:
        """Whether the new answer is good, and differs from an answer that was rated down, flagged or stopped."""
        return self.after.gap is None and not self._is_disliked_again

    @property
    def _is_disliked_again(self) -> bool:
        """Whether the new answer repeats a disliked one. Of a stopped answer, only the beginning is known."""
        then, now = self.before.answer, self.after.answer
        if self.before.reason is GapReason.REPHRASED:
            return then != "" and now.startswith(then)
        return self.before.reason in (GapReason.THUMBS_DOWN, GapReason.FLAGGED) and now == then


@dataclass(frozen=True, slots=True)
class GapReplay:
    gap: Gap
    questions: tuple[ReplayedQuestion, ...]

    @property
    def passes(self) -> bool:
        """Whether every wording is answered."""
        return bool(self.questions) and all(question.passes for question in self.questions)


@dataclass(frozen=True, slots=True)
class DueGap:
    """An open gap to replay, because the agent's knowledge has changed since. `generation` is that of the knowledge
    now."""

    gap: Gap
    workspace_id: UUID
    generation: int


TREND_DAYS = 28
_CLOSE = 0.5  # share of the threshold
LEAST_ADVISED: Final = 0.15
"""No threshold below this is suggested: an agent would answer most of what its pages do not say."""


class Shortfall(StrEnum):
    """Why the latest asking was not answered."""

    NOTHING_CLOSE = "nothing_close"  # the best chunk is below half of the threshold
    UNDER_THRESHOLD = "under_threshold"  # something was close, with too little confidence
    MODEL_DECLINED = "model_declined"  # chunks were found, but the model did not answer from them
    PAGE_GONE = "page_gone"  # the best page that was found is no longer known
    STOPPED = "stopped"  # chunks were found, but the visitor stopped the answer and rephrased
    DISLIKED = "disliked"  # the answer was rated down, or flagged by an operator


@dataclass(frozen=True, slots=True)
class GapSample:
    """One asking. Personal data is masked in its question, but not in the conversation."""

    turn_id: UUID
    conversation_id: UUID
    question: str
    language: str | None
    reason: GapReason
    asked_at: datetime
    channel: Annotated[Channel, "Where the question was asked."] = Channel.WIDGET


@dataclass(frozen=True, slots=True)
class GapFacts:
    """Languages (BCP 47 primary subtags) are most frequent first."""

    visitors: int
    this_week: Annotated[int, "Times asked in the last 7 days."]
    week_before: Annotated[int, "Times asked in the 7 days before."]
    languages: tuple[str, ...]
    samples: Annotated[tuple[GapSample, ...], "The latest questions, latest first."]
    by_day: Annotated[tuple[int, ...], "Times asked in each of the last 28 periods of 24 hours, oldest first."] = ()

    @property
    def impact(self) -> Annotated[int, "Visitors × (1 + times asked in the last 7 days)."]:
        """The worth of closing the gap. Counts visitors, so that repeated questions of one do not weigh more; the
        second factor lets questions that nobody asks any more sink."""
        return self.visitors * (1 + self.this_week)


@dataclass(frozen=True, slots=True)
class GrowingGap:
    """An open gap with more askings in the last 7 days than in the 7 before; both are counted as in GapFacts."""

    id: UUID
    agent_id: UUID
    question: str
    this_week: Annotated[int, "Times asked in the last 7 days."]
    week_before: Annotated[int, "Times asked in the 7 days before."]


@dataclass(frozen=True, slots=True)
class FoundThen:
    """One chunk that search had found; `confidence` in [0, 1] is compared with the threshold."""

    url: str
    title: str
    confidence: float
    cosine: float | None
    bm25: float | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What search found when the gap was last asked, best first, and why that was not enough. `threshold` is the
    draft's."""

    why: Shortfall
    found: tuple[FoundThen, ...]
    text_source_id: Annotated[UUID | None, "The source of kind text that contains the best chunk."] = None
    threshold: float = 0.0

    @property
    def why_unsure(
        self,
    ) -> Annotated[str, "Why search was not sure enough by the draft's settings, in words; empty if it was."]:
        return why_unsure([item.confidence for item in self.found], self.threshold)

    @property
    def answers_from(
        self,
    ) -> Annotated[
        float | None,
        f"The highest threshold at which search would be sure enough; null if none from {LEAST_ADVISED} on would do.",
    ]:
        """Rounded down to hundredths."""
        threshold = floor(max((item.confidence for item in self.found), default=0.0) * 100) / 100
        return threshold if threshold >= LEAST_ADVISED else None


def found_then(trace: Mapping[str, Any]) -> tuple[FoundThen, ...]:
    """Read the found chunks from a turn's trace, best first."""
    return tuple(
        FoundThen(item["url"], item["title"], item["calibrated"], item["cosine"], item["bm25"])
        for item in trace.get("ranked", ())
    )


def shortfall(found: Sequence[FoundThen], reason: GapReason, threshold: float, *, is_gone: bool) -> Shortfall:
    """Why a question was not answered. `found` is best first; `is_gone`: the agent no longer has the first one's
    page."""
    best = max((item.confidence for item in found), default=0.0)
    if is_gone and best >= threshold * _CLOSE:
        return Shortfall.PAGE_GONE
    if reason in (GapReason.THUMBS_DOWN, GapReason.FLAGGED):
        return Shortfall.DISLIKED
    if best < threshold * _CLOSE or not found:
        return Shortfall.NOTHING_CLOSE
    if best < threshold or reason is GapReason.LOW_CONFIDENCE:  # no passage that was found had enough confidence
        return Shortfall.UNDER_THRESHOLD
    return Shortfall.STOPPED if reason is GapReason.REPHRASED else Shortfall.MODEL_DECLINED


REPHRASED_WITHIN: Final = timedelta(minutes=2)  # after the stop


@dataclass(frozen=True, slots=True)
class StoppedTurn:
    """A turn whose answer the visitor stopped. `next_question` is the question that they then asked in the same
    conversation within REPHRASED_WITHIN; None if they asked none. `language` is that of the turn (BCP 47 primary
    subtag). Personal data is masked in both questions."""

    id: UUID
    question: str
    next_question: str | None
    language: str | None
