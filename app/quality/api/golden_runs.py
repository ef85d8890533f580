"""Admin API: golden questions asked, draft beside live."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from app.core.actor import Actor
from app.quality.api.golden_questions import TAG
from app.quality.golden_runs import BOTH, BUDGET_SECONDS, KEPT, GoldenRuns
from app.web.operation import Api, Call, ListOut, ListQuery, Model, get, post, read, write


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
    is_running: bool = Field(
        description=f"After {BUDGET_SECONDS} seconds a worker asks the rest; get the run again to see how far it is."
    )
    won: tuple[str, ...] = Field(description="Questions that go right by the draft alone.")
    lost: tuple[str, ...] = Field(description="Questions that go right by the live version alone.")


class GoldenRunRowOut(GoldenRunHead):
    live: GoldenScoreOut | None
    draft: GoldenScoreOut | None


class GoldenRunOut(GoldenRunHead):
    live: GoldenSideOut | None
    draft: GoldenSideOut | None


class AdminGoldenRuns(Api):
    tag = TAG

    def __init__(self, runs: GoldenRuns) -> None:
        self._runs = runs

    @post(
        "/v1/agents/{agent_id}/golden-questions/run",
        "Run the golden questions and keep the result",
        access=write,
        is_input_optional=True,
        status=201,
    )
    async def run_golden_questions(self, call: Call[Actor, GoldenRunIn]) -> GoldenRunOut:
        asked = call.input.version
        versions = BOTH if asked == "both" else (asked,)
        return GoldenRunOut.of(await self._runs.run(call.caller, call.path_id("agent_id"), versions))

    @get("/v1/agents/{agent_id}/golden-runs", f"List the latest {KEPT} runs, latest first", access=read)
    async def list_golden_runs(self, call: Call[Actor, ListQuery]) -> ListOut[GoldenRunRowOut]:
        page = await self._runs.page(call.caller, call.path_id("agent_id"), call.input.page)
        return ListOut[GoldenRunRowOut].of(page)

    @get("/v1/agents/{agent_id}/golden-runs/{golden_run_id}", "One run, question by question", access=read)
    async def get_golden_run(self, call: Call[Actor, None]) -> GoldenRunOut:
        run = await self._runs.get(call.caller, call.path_id("agent_id"), call.path_id("golden_run_id"))
        return GoldenRunOut.of(run)
