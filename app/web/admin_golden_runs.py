"""Admin API: golden questions asked, draft beside live."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import Field

from app.domain.golden_run import GoldenRun
from app.operating.actor import Actor
from app.operating.golden_runs import BOTH, BUDGET_SECONDS, KEPT, GoldenRuns
from app.web.admin_access import AdminAccess
from app.web.admin_golden_questions import TAG
from app.web.endpoint import AnyEndpoint, Call, Endpoint, Model
from app.web.list_models import ListOut, ListQuery, listed


class GoldenRunIn(Model):
    version: Literal["live", "draft", "both"] = Field(
        default="both", description="An agent that was never published has its draft alone."
    )


class GoldenMarkOut(Model):
    golden_id: UUID
    question: str
    place: int | None = Field(description="Of the first right page among the pages found, 1..; null: none was found.")
    confidence: float
    would_answer: bool
    is_right: bool
    missing: tuple[str, ...] = Field(description="Texts and patterns that the answer should hold and does not.")


class GoldenScoreOut(Model):
    right: int
    stages: dict[str, dict[str, float]] = Field(
        description="vector, keyword, fused, reranked: page_hit@k (R@k), page_mrr@10, page_ndcg@10."
    )
    abstained: dict[str, float] = Field(description="The share that it would not answer, by kind of question.")
    degraded: int = Field(description="Searches that missed a part, such as the reranker.")


class GoldenSideOut(GoldenScoreOut):
    marks: tuple[GoldenMarkOut, ...]


class GoldenRunHead(Model):
    id: UUID
    asked_by: str
    asked_at: datetime
    milliseconds: int
    generation: int
    live_version: int | None
    questions: int
    asked: int = Field(description="Of them, so far; the same of both versions.")
    is_complete: bool
    is_going: bool = Field(
        description=f"After {BUDGET_SECONDS} seconds a worker asks the rest; get the run again to see how far it is."
    )
    won: tuple[str, ...] = Field(description="Questions that go right by the draft alone.")
    lost: tuple[str, ...] = Field(description="Questions that go right by the live version alone.")

    @classmethod
    def of(cls, run: GoldenRun) -> Self:
        return cls.model_validate(run)


class GoldenRunRowOut(GoldenRunHead):
    live: GoldenScoreOut | None
    draft: GoldenScoreOut | None


class GoldenRunOut(GoldenRunHead):
    live: GoldenSideOut | None
    draft: GoldenSideOut | None


class AdminGoldenRuns:
    def __init__(self, runs: GoldenRuns, access: AdminAccess) -> None:
        self._runs = runs
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        agent = "/v1/agents/{agent_id}"
        return (
            Endpoint(
                "POST", f"{agent}/golden-questions/run", "runGoldenQuestions", "Ask the golden questions and keep what "
                "came of it", TAG, self._access.write, self.run, input_model=GoldenRunIn, is_input_optional=True,
                response_model=GoldenRunOut, status=201, codes=("not_found",),
            ),
            Endpoint(
                "GET", f"{agent}/golden-runs", "listGoldenRuns", f"The latest {KEPT} runs, latest first", TAG,
                self._access.read, self.page, input_model=ListQuery, response_model=ListOut[GoldenRunRowOut],
                codes=("not_found",),
            ),
            Endpoint(
                "GET", f"{agent}/golden-runs/{{golden_run_id}}", "getGoldenRun", "One run, question by question", TAG,
                self._access.read, self.get, response_model=GoldenRunOut, codes=("not_found",),
            ),
        )  # fmt: skip

    async def run(self, call: Call[Actor, GoldenRunIn]) -> GoldenRunOut:
        asked = call.input.version
        versions = BOTH if asked == "both" else (asked,)
        return GoldenRunOut.of(await self._runs.run(call.caller, call.path_id("agent_id"), versions))

    async def page(self, call: Call[Actor, ListQuery]) -> ListOut[GoldenRunRowOut]:
        page = await self._runs.page(call.caller, call.path_id("agent_id"), call.input.page)
        return listed(ListOut[GoldenRunRowOut], page, GoldenRunRowOut.of)

    async def get(self, call: Call[Actor, None]) -> GoldenRunOut:
        run = await self._runs.get(call.caller, call.path_id("agent_id"), call.path_id("golden_run_id"))
        return GoldenRunOut.of(run)
