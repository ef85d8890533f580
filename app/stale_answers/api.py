"""Admin API: answers that their page no longer supports."""

from dataclasses import replace
from typing import Annotated
from uuid import UUID

from pydantic import Field

from app.answers.curated.curated_answer import CuratedAnswer
from app.core.actor import Actor
from app.quality.api.golden_questions import GoldenQuestionOut
from app.quality.golden_question import EXPECTED
from app.stale_answers.stale_answer import StaleAnswer, StaleFilter, StaleState, StaleTurn
from app.stale_answers.stale_answers import CHOSEN, MAX_TURNS, StaleAnswers
from app.web.operation import Api, Call, ListOut, ListQuery, Model, get, items_of, post, read, write

TAG = "Stale answers"


class StaleQuery(ListQuery, takes=StaleFilter, fields="state kind subject"): ...


class StaleAnswerOut(
    Model,
    shows=StaleAnswer,
    fields="id agent_id subject kind state url title old_words new_words question old_answer new_answer turns "
    "conversations visitors curated_answer_id golden_question_id found_at",
): ...


class StaleTurnOut(Model, shows=StaleTurn, fields="turn_id conversation_id question answered_at"): ...


class StaleViewOut(StaleAnswerOut):
    latest_turns: Annotated[
        tuple[StaleTurnOut, ...], f"The latest {MAX_TURNS} turns that gave this answer from pages, latest first."
    ]


class SettleStaleIn(Model):
    stale_answer_ids: Annotated[tuple[UUID, ...], CHOSEN]
    state: StaleState = Field(
        description="`dismissed`: it does not matter, and the same words are not listed again; `settled`: it was "
        "corrected; `open`: it needs attention again."
    )


class SettledStaleOut(Model, adds=items_of(StaleAnswerOut)): ...


class AcceptStaleIn(Model):
    answer_contains: Annotated[
        tuple[str, ...], replace(EXPECTED, is_required=True), "What the answer must contain from now on."
    ]


class RewriteStaleIn(Model, takes=CuratedAnswer, fields="answer"):
    answer: str


class AdminStaleAnswers(Api):
    tag = TAG
    _stale: StaleAnswers

    @get(
        "/v1/agents/{agent_id}/stale-answers",
        "List answers that their page no longer supports, latest first",
        access=read,
    )
    async def list_stale_answers(self, call: Call[Actor, StaleQuery]) -> ListOut[StaleAnswerOut]:
        page = await self._stale.stale_answers(
            call.caller, call.path_id("agent_id"), call.input.made(StaleFilter), call.input.page
        )
        return ListOut[StaleAnswerOut].showing(page)

    @get(
        "/v1/agents/{agent_id}/stale-answers/{stale_answer_id}",
        "Get one stale answer, with the turns that gave it",
        access=read,
    )
    async def get_stale_answer(self, call: Call[Actor, None]) -> StaleViewOut:
        own = call.path_id("agent_id"), call.path_id("stale_answer_id")
        stale = await self._stale.stale_answer(call.caller, *own)
        return StaleViewOut.showing(stale, latest_turns=await self._stale.latest_turns(call.caller, *own))

    @post(
        "/v1/agents/{agent_id}/stale-answers/settle",
        "Dismiss, settle or reopen stale answers: all or none",
        access=write,
    )
    async def settle_stale_answers(self, call: Call[Actor, SettleStaleIn]) -> SettledStaleOut:
        body = call.input
        settled = await self._stale.set_state(call.caller, call.path_id("agent_id"), body.stale_answer_ids, body.state)
        return SettledStaleOut.showing(items=settled)

    @post(
        "/v1/agents/{agent_id}/stale-answers/{stale_answer_id}/accept",
        "Accept the new answer: create a golden question, or update the stale one, and settle",
        access=write,
    )
    async def accept_stale_answer(self, call: Call[Actor, AcceptStaleIn]) -> GoldenQuestionOut:
        own = call.path_id("agent_id"), call.path_id("stale_answer_id")
        return GoldenQuestionOut.showing(await self._stale.accept(call.caller, *own, call.input.answer_contains))

    @post(
        "/v1/agents/{agent_id}/stale-answers/{stale_answer_id}/rewrite",
        "Rewrite the curated answer that is stale, and settle",
        access=write,
    )
    async def rewrite_stale_answer(self, call: Call[Actor, RewriteStaleIn]) -> StaleAnswerOut:
        own = call.path_id("agent_id"), call.path_id("stale_answer_id")
        await self._stale.rewrite(call.caller, *own, call.input.answer)
        return StaleAnswerOut.showing(await self._stale.stale_answer(call.caller, *own))
