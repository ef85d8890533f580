"""Admin API: what an operator makes of one turn."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field

from app.domain.curated_answer import CuratedAnswer, Trigger
from app.operating.actor import Actor
from app.operating.golden_questions import MAX_PAGES
from app.operating.turn_review import TurnReview
from app.web.admin_access import AdminAccess
from app.web.admin_conversations import TAG
from app.web.admin_gaps import GapOut
from app.web.admin_golden_questions import GoldenQuestionOut
from app.web.endpoint import AnyEndpoint, Call, Endpoint, Model


class CuratedDraftOut(Model):
    """What `POST /v1/agents/{agent_id}/curated-answers` and its rehearsal take."""

    trigger: Trigger
    pattern: str = Field(description="The question, its personal data masked.")
    answer: str = Field(description="What the visitor got, without the marks of its citations.")
    priority: int
    language: str | None
    page_prefix: str
    expires_at: datetime | None

    @classmethod
    def of(cls, answer: CuratedAnswer) -> "CuratedDraftOut":
        return cls.model_validate(answer)


class TurnGoldenIn(Model):
    pages: tuple[str, ...] | None = Field(
        default=None, max_length=MAX_PAGES, description="Null: those that the answer cites."
    )


class AdminTurnReview:
    def __init__(self, review: TurnReview, access: AdminAccess) -> None:
        self._review = review
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        one, write = "/v1/turns/{turn_id}", self._access.write
        return (
            Endpoint(
                "POST", f"{one}/gap", "flagTurn", "Count a turn's question as a gap", TAG, write, self.flag,
                response_model=GapOut, codes=("not_found",),
            ),
            Endpoint(
                "GET", f"{one}/curated-answer", "draftCuratedAnswer", "A curated answer to a turn's question, to be "
                "edited and saved", TAG, self._access.read, self.draft, response_model=CuratedDraftOut,
                codes=("not_found",),
            ),
            Endpoint(
                "POST", f"{one}/golden-question", "makeGoldenQuestion", "Make a turn's question a golden question", TAG,
                write, self.golden, input_model=TurnGoldenIn, is_input_optional=True, status=201,
                response_model=GoldenQuestionOut, codes=("not_found",),
            ),
        )  # fmt: skip

    async def flag(self, call: Call[Actor, None]) -> GapOut:
        return GapOut.of(await self._review.flag(call.caller, call.path_id("turn_id")))

    async def draft(self, call: Call[Actor, None]) -> CuratedDraftOut:
        return CuratedDraftOut.of(await self._review.curated_draft(call.caller, call.path_id("turn_id")))

    async def golden(self, call: Call[Actor, TurnGoldenIn]) -> GoldenQuestionOut:
        golden = await self._review.make_golden(call.caller, call.path_id("turn_id"), call.input.pages)
        return GoldenQuestionOut.of(golden)
