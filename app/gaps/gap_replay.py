"""A gap's own questions asked once more: the proof that it is closed, or still open."""

from dataclasses import dataclass
from uuid import UUID

from app.core.gap_state import GapReason
from app.core.turn import AnsweredBy
from app.gaps.gap import Gap


@dataclass(frozen=True, slots=True)
class GapAsking:
    """One wording of a gap as it was last asked, and what the visitor got. `standalone` is what search looked for.
    Personal data is masked in both; `cited` are the pages, first cited first."""

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
    """What the agent would answer now. `gap` is what would give it away as a gap again, None for an answer that
    stands."""

    answer: str
    answered_by: AnsweredBy
    confidence: float
    cited: tuple[str, ...] = ()
    gap: GapReason | None = None


@dataclass(frozen=True, slots=True)
class ReplayedQuestion:
    before: GapAsking
    after: TrialAnswer

    @property
    def passes(self) -> bool:
        """The answer stands; where somebody did not like the old one, it is also another one."""
        return self.after.gap is None and not self._is_disliked_again

    @property
    def _is_disliked_again(self) -> bool:
        """Of an answer that was stopped there is the beginning only, or nothing."""
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
        """Every wording is answered."""
        return bool(self.questions) and all(question.passes for question in self.questions)


@dataclass(frozen=True, slots=True)
class DueGap:
    """An open gap whose agent knows more, or less, than when it was last asked. `generation` is the agent's now."""

    gap: Gap
    workspace_id: UUID
    generation: int
