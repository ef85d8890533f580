"""An agent's golden questions asked: what each of its versions made of them, and which of the two did better."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class TrialRanking:
    """What one version made of a golden question: the pages found by their keys, best first and once a chunk, for each
    stage of search. `best` is the confidence in [0, 1] that the question can be answered; `missing` are the texts and
    patterns that were expected of the answer and are not in it."""

    stages: Mapping[str, Sequence[str]]
    best: float
    is_low_confidence: bool
    was_degraded: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldenMark:
    """How one question went. `place` is that of the first right page among the pages found, 1.., None where none
    was. `missing` are the texts and patterns that the answer should hold and does not."""

    golden_id: UUID
    question: str
    place: int | None
    confidence: float
    would_answer: bool
    is_right: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldenSide:
    """One version's marks. `stages` maps each stage of search to its metrics; `abstained` the kinds of questions
    ("answerable", "to decline") to the share that the agent would not answer. `degraded` searches missed a part."""

    stages: dict[str, dict[str, float]]
    abstained: dict[str, float]
    degraded: int
    marks: tuple[GoldenMark, ...] = ()

    @property
    def right(self) -> int:
        return sum(mark.is_right for mark in self.marks)


@dataclass(frozen=True, slots=True)
class GoldenRun:
    """`asked` of the agent's `questions` were asked so far, the same of both versions. At `goes_on_at` a worker takes
    up the others; None: all were asked, or the others will not be. `fingerprint` names what the result depends on:
    settings, knowledge, questions; "" where that changed while they were asked."""

    id: UUID
    agent_id: UUID
    asked_by: str
    asked_at: datetime
    milliseconds: int
    fingerprint: str
    generation: int
    live_version: int | None
    questions: int
    asked: int
    live: GoldenSide | None = None
    draft: GoldenSide | None = None
    goes_on_at: datetime | None = None

    @property
    def is_running(self) -> bool:
        return self.goes_on_at is not None

    @property
    def is_complete(self) -> bool:
        return self.asked == self.questions

    @property
    def won(self) -> tuple[str, ...]:
        """Questions that go right by the draft alone."""
        return self._right_only_by(self.draft, self.live)

    @property
    def lost(self) -> tuple[str, ...]:
        """Questions that go right by the live version alone."""
        return self._right_only_by(self.live, self.draft)

    @staticmethod
    def _right_only_by(side: GoldenSide | None, other: GoldenSide | None) -> tuple[str, ...]:
        if side is None or other is None:
            return ()
        right = {mark.golden_id for mark in other.marks if mark.is_right}
        return tuple(mark.question for mark in side.marks if mark.is_right and mark.golden_id not in right)
