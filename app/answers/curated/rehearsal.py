"""How a curated answer would have answered past questions."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from app.answers.curated.curated_answer import CuratedAnswer
from app.answers.past_turn import PastTurn


@dataclass(frozen=True, slots=True)
class RehearsedTurn:
    """A turn whose question fits the answer's trigger. `winner` would have answered it; `without` is the curated answer
    that would, without the rehearsed one."""

    turn: PastTurn
    winner: CuratedAnswer
    without: CuratedAnswer | None


@dataclass(frozen=True, slots=True)
class Overlap:
    """Another curated answer that fits the same questions."""

    answer: CuratedAnswer
    askings: Annotated[int, "Past questions that show the overlap; 0 if only its own patterns do."]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A trial on `looked_at` turns of the last `days` days, latest first."""

    answer: CuratedAnswer
    days: int
    looked_at: int
    is_complete: Annotated[bool, "False if there were more turns, or too little time for all."]
    fitting: tuple[RehearsedTurn, ...]
    own_patterns_go_to: tuple[CuratedAnswer, ...] = ()
    takes_patterns_of: tuple[CuratedAnswer, ...] = field(default=())

    @property
    def taken(self) -> tuple[RehearsedTurn, ...]:
        """Turns that it would have answered."""
        return tuple(each for each in self.fitting if each.winner.id == self.answer.id)

    @property
    def taken_from_good_answers(self) -> tuple[RehearsedTurn, ...]:
        """Turns that had a good answer, not counting its own."""
        return tuple(
            each for each in self.taken if each.turn.was_answered_well and each.turn.curated_answer_id != self.answer.id
        )

    @property
    def shadows(self) -> Annotated[tuple[Overlap, ...], "Curated answers that would lose questions to this one."]:
        losers = [each.without for each in self.taken if each.without is not None]
        return _overlaps(losers, self.takes_patterns_of)

    @property
    def shadowed_by(self) -> Annotated[tuple[Overlap, ...], "Curated answers that would take questions from this one."]:
        winners = [each.winner for each in self.fitting if each.winner.id != self.answer.id]
        return _overlaps(winners, self.own_patterns_go_to)


def _overlaps(seen: Iterable[CuratedAnswer], by_pattern: Iterable[CuratedAnswer]) -> tuple[Overlap, ...]:
    """Most askings first."""
    askings: dict[UUID, int] = {}
    answers: dict[UUID, CuratedAnswer] = {}
    for answer in by_pattern:
        answers[answer.id] = answer
        askings.setdefault(answer.id, 0)
    for answer in seen:
        answers[answer.id] = answer
        askings[answer.id] = askings.get(answer.id, 0) + 1
    ranked = sorted(askings, key=lambda answer_id: -askings[answer_id])
    return tuple(Overlap(answers[answer_id], askings[answer_id]) for answer_id in ranked)
