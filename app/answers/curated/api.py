"""Admin API: curated answers, and rehearsing one on past questions before it is saved."""

from typing import Annotated, Final
from uuid import UUID, uuid4

from pydantic import BeforeValidator, Field

from app.answers.curated.curated_answer import CuratedAnswer, CuratedEdit, CuratedFilter
from app.answers.curated.curated_answers import CuratedAnswers, CuratedUse, CuratedUses
from app.answers.curated.records import KEPT_EDITS
from app.answers.curated.rehearsal import Overlap, Rehearsal, RehearsedTurn
from app.answers.curated.rehearsals import DAYS, MAX_TURNS, Rehearsals
from app.answers.past_turn import PastTurn
from app.core.actor import Actor
from app.web.operation import (
    Api,
    Call,
    ListOut,
    ListQuery,
    Model,
    Patch,
    delete,
    example,
    get,
    patch,
    post,
    read,
    write,
)

TAG = "Curated answers"
_SAMPLES = 20


_FIELDS = "priority language page_prefix expires_at is_on trigger pattern answer"
_EXAMPLE = {"trigger": "phrase", "pattern": "opening hours", "answer": "We are open from 9 to 17 on weekdays."}


@example(**_EXAMPLE)
class CuratedAnswerCreate(Model, takes=CuratedAnswer, fields=_FIELDS):
    def written_for(self, agent_id: UUID) -> CuratedAnswer:
        return self.made(CuratedAnswer, id=uuid4(), agent_id=agent_id)


class CuratedAnswerPatch(Patch, takes=CuratedAnswer, fields=_FIELDS):
    """Only what is sent changes."""


class CuratedAnswerOut(
    Model,
    shows=CuratedAnswer,
    fields="id agent_id trigger pattern answer priority language page_prefix expires_at is_on hits last_hit_at",
): ...


class CuratedAnswerQuery(ListQuery, takes=CuratedFilter, fields="q=text is_on"): ...


class CuratedEditOut(Model, shows=CuratedEdit, fields="number author saved_at changed answer"):
    answer: Annotated[CuratedAnswerOut, "The answer after this edit. `hits` are not recorded."]


class CuratedRestore(Model):
    number: int = Field(ge=1, lt=2**31, description="The number of the edit.")


class CuratedUseOut(
    Model, shows=PastTurn, parts="asked", fields="turn_id=id conversation_id question page_url language asked_at rating"
): ...


class CuratedUsesOut(
    ListOut[CuratedUseOut],
    shows=CuratedUses,
    parts="turns",
    fields="last_7_days=last_week last_30_days=lately thumbs_up thumbs_down",
): ...


class AdminCuratedAnswers(Api):
    tag = TAG
    _answers: CuratedAnswers
    _use: CuratedUse

    @post(
        "/v1/agents/{agent_id}/curated-answers",
        "Create a curated answer, which takes precedence over search",
        access=write,
        status=201,
    )
    async def create_curated_answer(self, call: Call[Actor, CuratedAnswerCreate]) -> CuratedAnswerOut:
        answer = call.input.written_for(call.path_id("agent_id"))
        return CuratedAnswerOut.showing(await self._answers.create(call.caller, answer))

    @get("/v1/agents/{agent_id}/curated-answers", "List an agent's curated answers, oldest first", access=read)
    async def list_curated_answers(self, call: Call[Actor, CuratedAnswerQuery]) -> ListOut[CuratedAnswerOut]:
        only = call.input.made(CuratedFilter)
        page = await self._answers.answers(call.caller, call.path_id("agent_id"), call.input.page, only)
        return ListOut[CuratedAnswerOut].showing(page)

    @get("/v1/agents/{agent_id}/curated-answers/{answer_id}", "Get a curated answer", access=read)
    async def get_curated_answer(self, call: Call[Actor, None]) -> CuratedAnswerOut:
        answer = await self._answers.answer(call.caller, call.path_id("agent_id"), call.path_id("answer_id"))
        return CuratedAnswerOut.showing(answer)

    @patch(
        "/v1/agents/{agent_id}/curated-answers/{answer_id}",
        "Change a curated answer; only the fields sent change",
        access=write,
    )
    async def edit_curated_answer(self, call: Call[Actor, CuratedAnswerPatch]) -> CuratedAnswerOut:
        agent_id, answer_id = call.path_id("agent_id"), call.path_id("answer_id")
        return CuratedAnswerOut.showing(
            await self._answers.change(call.caller, agent_id, answer_id, call.input.applied_to)
        )

    @get(
        "/v1/agents/{agent_id}/curated-answers/{answer_id}/history",
        f"List the edits of a curated answer, latest first; the last {KEPT_EDITS} are kept",
        access=read,
    )
    async def list_curated_edits(self, call: Call[Actor, ListQuery]) -> ListOut[CuratedEditOut]:
        page = await self._answers.history(
            call.caller, call.path_id("agent_id"), call.path_id("answer_id"), call.input.page
        )
        return ListOut[CuratedEditOut].showing(page)

    @post(
        "/v1/agents/{agent_id}/curated-answers/{answer_id}/restore",
        "Restore a curated answer to an earlier edit",
        access=write,
    )
    async def restore_curated_answer(self, call: Call[Actor, CuratedRestore]) -> CuratedAnswerOut:
        return CuratedAnswerOut.showing(
            await self._answers.restore(
                call.caller, call.path_id("agent_id"), call.path_id("answer_id"), call.input.number
            )
        )

    @get(
        "/v1/agents/{agent_id}/curated-answers/{answer_id}/uses",
        "List the questions that a curated answer answered, latest first, with recent counts",
        access=read,
    )
    async def list_curated_uses(self, call: Call[Actor, ListQuery]) -> CuratedUsesOut:
        return CuratedUsesOut.showing(
            await self._use.of_answer(call.caller, call.path_id("agent_id"), call.path_id("answer_id"), call.input.page)
        )

    @delete("/v1/agents/{agent_id}/curated-answers/{answer_id}", "Delete a curated answer", access=write)
    async def delete_curated_answer(self, call: Call[Actor, None]) -> None:
        await self._answers.delete(call.caller, call.path_id("agent_id"), call.path_id("answer_id"))


class RehearseIn(CuratedAnswerCreate):
    replaces: UUID | None = Field(default=None, description="The curated answer that it would replace.")


class RehearsedTurnOut(
    Model,
    shows=RehearsedTurn,
    parts="turn turn.asked",
    fields="turn_id=turn.id conversation_id question asked_at answered_by confidence rating was_answered_well is_taken",
):
    is_taken: Annotated[bool, "Whether this answer would be used; false if a curated answer that precedes it would."]

    @classmethod
    def showing(cls, rehearsed: RehearsedTurn, answer_id: UUID) -> "RehearsedTurnOut":
        return super().showing(rehearsed, is_taken=rehearsed.winner.id == answer_id)


class OverlapOut(Model, shows=Overlap, parts="answer", fields="id trigger pattern askings"): ...


# Shows the number of turns, where the value has the turns themselves.
_Counted: Final = BeforeValidator(lambda turns: turns if isinstance(turns, int) else len(turns))


class RehearsalOut(
    Model,
    shows=Rehearsal,
    fields="days looked_at is_complete fitting taken taken_from_good_answers samples shadows shadowed_by warnings",
):
    looked_at: Annotated[int, f"The latest turns that were checked, at most {MAX_TURNS}."]
    fitting: Annotated[int, _Counted, "Turns whose question matches the trigger."]
    taken: Annotated[int, _Counted, "Matching turns that this answer would have answered."]
    taken_from_good_answers: Annotated[int, _Counted, "Turns among these that had a good answer."]
    samples: Annotated[
        tuple[RehearsedTurnOut, ...],
        f"The latest of each kind, at most {_SAMPLES}, beginning with those that had a good answer.",
    ]
    warnings: tuple[str, ...]

    @classmethod
    def showing(cls, rehearsal: Rehearsal) -> "RehearsalOut":
        good = rehearsal.taken_from_good_answers
        samples = (*good, *(each for each in rehearsal.fitting if each not in good))[:_SAMPLES]
        shown = [RehearsedTurnOut.showing(each, rehearsal.answer.id) for each in samples]
        return super().showing(rehearsal, samples=shown, warnings=_warnings(rehearsal))


def _warnings(rehearsal: Rehearsal) -> list[str]:
    warnings: list[str] = []
    if good := len(rehearsal.taken_from_good_answers):
        warnings.append(
            f"It would have taken {good} of {len(rehearsal.taken)} questions that already had a good answer. "
            "Make the trigger narrower."
        )
    if rehearsal.shadows:
        warnings.append(f"It takes precedence over {len(rehearsal.shadows)} curated answers. Compare their priorities.")
    if rehearsal.shadowed_by:
        warnings.append(
            f"{len(rehearsal.shadowed_by)} curated answers take precedence over it. Compare their priorities."
        )
    if not rehearsal.fitting and rehearsal.looked_at:
        warnings.append(f"No question of the last {rehearsal.days} days matches its trigger.")
    return warnings


class AdminRehearsals(Api):
    tag = TAG
    _rehearsals: Rehearsals

    @post(
        "/v1/agents/{agent_id}/curated-answers/rehearse",
        f"Show what a curated answer would have changed in the last {DAYS} days; nothing is saved",
        access=write,
        codes=("overloaded",),
    )
    async def rehearse_curated_answer(self, call: Call[Actor, RehearseIn]) -> RehearsalOut:
        asked = call.input
        written = asked.written_for(call.path_id("agent_id"))
        return RehearsalOut.showing(await self._rehearsals.rehearse(call.caller, written, asked.replaces))
