"""Admin API: making a gap, a curated answer or a golden question of one turn."""

from pydantic import Field

from app.answers.curated.curated_answer import CuratedAnswer
from app.conversations.api.conversations import TAG
from app.core.actor import Actor
from app.gaps.api.gaps import GapOut
from app.gaps.turn_review import TurnReview
from app.quality.api.golden_questions import GoldenQuestionOut
from app.quality.golden_question import MAX_PAGES
from app.web.operation import Api, Call, Model, get, post, read, write


class CuratedDraftOut(
    Model, shows=CuratedAnswer, fields="trigger pattern answer priority language page_prefix expires_at"
):
    """The input for `POST /v1/agents/{agent_id}/curated-answers` and its rehearsal."""

    pattern: str = Field(description="The question, with personal data masked.")
    answer: str = Field(description="The answer that the visitor got, without source numbers.")


class TurnGoldenIn(Model):
    pages: tuple[str, ...] | None = Field(
        default=None, max_length=MAX_PAGES, description="Null: the pages that the answer cites."
    )


class AdminTurnReview(Api):
    tag = TAG
    _review: TurnReview

    @post("/v1/turns/{turn_id}/gap", "Count a turn's question as a gap", access=write)
    async def flag_turn(self, call: Call[Actor, None]) -> GapOut:
        return GapOut.showing(await self._review.flag(call.caller, call.path_id("turn_id")))

    @get(
        "/v1/turns/{turn_id}/curated-answer",
        "Draft a curated answer to a turn's question, to edit and save",
        access=read,
    )
    async def draft_curated_answer(self, call: Call[Actor, None]) -> CuratedDraftOut:
        return CuratedDraftOut.showing(await self._review.curated_draft(call.caller, call.path_id("turn_id")))

    @post(
        "/v1/turns/{turn_id}/golden-question",
        "Make a turn's question a golden question",
        access=write,
        is_input_optional=True,
        status=201,
    )
    async def make_golden_question(self, call: Call[Actor, TurnGoldenIn]) -> GoldenQuestionOut:
        golden = await self._review.make_golden(call.caller, call.path_id("turn_id"), call.input.pages)
        return GoldenQuestionOut.showing(golden)
