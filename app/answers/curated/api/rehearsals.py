"""Admin API: a curated answer tried on the questions of the past before it is saved."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from app.answers.curated.api.curated_answers import TAG, CuratedAnswerCreate
from app.answers.curated.curated_answer import Trigger
from app.answers.curated.rehearsal import Overlap, Rehearsal, RehearsedTurn
from app.answers.curated.rehearsals import DAYS, MAX_TURNS, Rehearsals
from app.core.actor import Actor
from app.core.turn import AnsweredBy
from app.web.operation import Api, Call, Model, post, write

_SAMPLES = 20


class RehearseIn(CuratedAnswerCreate):
    replaces: UUID | None = Field(default=None, description="The curated answer in whose place it is tried.")


class RehearsedTurnOut(Model):
    turn_id: UUID
    conversation_id: UUID
    question: str
    asked_at: datetime
    answered_by: AnsweredBy | None
    confidence: float | None
    rating: str | None = Field(description="up, down, or null.")
    was_answered_well: bool
    is_taken: bool = Field(description="It would be answered by this; else by a curated answer that comes before it.")

    @classmethod
    def of(cls, rehearsed: RehearsedTurn, answer_id: UUID) -> "RehearsedTurnOut":
        turn = rehearsed.turn
        return super().of(turn, turn.asked, turn_id=turn.id, is_taken=rehearsed.winner.id == answer_id)


class OverlapOut(Model):
    id: UUID
    trigger: Trigger
    pattern: str
    askings: int = Field(description="Of the past; 0 where only a pattern of its own shows it.")

    @classmethod
    def of(cls, overlap: Overlap) -> "OverlapOut":
        return super().of(overlap.answer, overlap)


class RehearsalOut(Model):
    days: int
    looked_at: int = Field(description=f"Turns, latest first, {MAX_TURNS} at most.")
    is_complete: bool = Field(description="False where there were more turns, or more than the time was enough for.")
    fitting: int = Field(description="Turns whose question fits the trigger.")
    taken: int = Field(description="Those of them that it would have answered.")
    taken_from_good_answers: int = Field(description="Those of these that had got a good answer.")
    samples: tuple[RehearsedTurnOut, ...] = Field(
        description=f"The latest of each kind, {_SAMPLES} at most; those that had got a good answer first."
    )
    shadows: tuple[OverlapOut, ...] = Field(description="Curated answers that would lose questions to it.")
    shadowed_by: tuple[OverlapOut, ...] = Field(description="Curated answers that keep questions from it.")
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, rehearsal: Rehearsal) -> "RehearsalOut":
        good = rehearsal.taken_from_good_answers
        samples = (*good, *(each for each in rehearsal.fitting if each not in good))[:_SAMPLES]
        return super().of(
            rehearsal,
            fitting=len(rehearsal.fitting),
            taken=len(rehearsal.taken),
            taken_from_good_answers=len(good),
            samples=[RehearsedTurnOut.of(each, rehearsal.answer.id) for each in samples],
            shadows=tuple(map(OverlapOut.of, rehearsal.shadows)),
            shadowed_by=tuple(map(OverlapOut.of, rehearsal.shadowed_by)),
            warnings=_warnings(rehearsal),
        )


def _warnings(rehearsal: Rehearsal) -> list[str]:
    said: list[str] = []
    if good := len(rehearsal.taken_from_good_answers):
        said.append(
            f"It would have taken {good} of {len(rehearsal.taken)} questions that had got a good answer. "
            "Make the trigger narrower."
        )
    if rehearsal.shadows:
        said.append(f"It comes before {len(rehearsal.shadows)} of your curated answers. Compare their priorities.")
    if rehearsal.shadowed_by:
        said.append(f"{len(rehearsal.shadowed_by)} of your curated answers come before it. Compare their priorities.")
    if not rehearsal.fitting and rehearsal.looked_at:
        said.append(f"No question of the last {rehearsal.days} days fits its trigger.")
    return said


class AdminRehearsals(Api):
    tag = TAG

    def __init__(self, rehearsals: Rehearsals) -> None:
        self._rehearsals = rehearsals

    @post(
        "/v1/agents/{agent_id}/curated-answers/rehearse",
        f"Show what a curated answer would have changed in the last {DAYS} days; nothing is saved",
        access=write,
        codes=("overloaded",),
    )
    async def rehearse_curated_answer(self, call: Call[Actor, RehearseIn]) -> RehearsalOut:
        asked = call.input
        written = CuratedAnswerCreate(**asked.model_dump(exclude={"replaces"})).written_for(call.path_id("agent_id"))
        return RehearsalOut.of(await self._rehearsals.rehearse(call.caller, written, asked.replaces))
