"""What a visitor wants, at a glance, for the person to whom their conversation is handed over."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.conversations.conversation import Outcome, outcome_of_turn
from app.core.text.untrusted_text import one_line
from app.core.turn import StoredTurn, TurnState

MOST_QUESTIONS: Final = 10
_QUESTION_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    text: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class HandOver:
    """`questions` are the last MOST_QUESTIONS in order, without small talk. `summary` is by a chat model: None if it
    was not requested, "" if it has not arrived."""

    questions: tuple[QuestionOutcome, ...]
    summary: str | None = None
    is_running: bool = False

    @property
    def needs_summary(self) -> bool:
        """False for a single question, and while an answer is being written, which the summary would miss."""
        return self.summary is None and len(self.questions) > 1 and not self.is_running

    @property
    def in_words(self) -> str:
        """Plain text: the summary, or else the questions; "" without any."""
        if self.summary:
            return f"Summary by a chat model: {self.summary}"
        lines = [f"{at}. {each.text} ({each.outcome.in_words})" for at, each in enumerate(self.questions, start=1)]
        return "\n".join(["Asked so far:", *lines]) if lines else ""


def hand_over_of(turns: Sequence[StoredTurn]) -> HandOver:
    """The hand-over of a conversation with these turns, oldest first."""
    if not turns:
        return HandOver(())
    outcomes = ((turn, outcome_of_turn(turn.state, turn.answered_by, is_low=turn.low_confidence)) for turn in turns)
    questions = [
        QuestionOutcome(one_line(turn.question, _QUESTION_CHARS), outcome) for turn, outcome in outcomes if outcome
    ]
    return HandOver(tuple(questions[-MOST_QUESTIONS:]), turns[-1].summary, turns[-1].state is TurnState.RUNNING)
