"""Admin API: golden questions, and the runs in which they are asked."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID, uuid4

from pydantic import Field

from app.agents.agent import Version
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.quality import golden_questions as rules
from app.quality.golden_question import GoldenMark, GoldenQuestion, GoldenRun, GoldenSide, Judge, ModelSide
from app.quality.golden_questions import GoldenQuestions, ImportReceipt
from app.quality.golden_runs import KEPT, GoldenRuns
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

TAG = "Golden questions"
_FIELDS = "question pages language answer_contains answer_matches"
_CSV = (
    "The first line has the column names: question, pages (URLs separated by spaces), language, answer_contains and "
    "answer_matches (one text or pattern per line of the cell)."
)
_EXAMPLE = {
    "question": "What does the team plan cost?",
    "pages": ["https://www.example.com/pricing"],
    "answer_contains": ["€12"],
    "answer_matches": ["(per|a) month"],
}


@example(**_EXAMPLE)
class GoldenQuestionCreate(Model, takes=GoldenQuestion, fields=_FIELDS):
    def written_for(self, agent_id: UUID) -> GoldenQuestion:
        return self.made(GoldenQuestion, id=uuid4(), agent_id=agent_id)


class GoldenQuestionPatch(Patch, takes=GoldenQuestion, fields=_FIELDS):
    """Only what is sent changes."""


class GoldenQuestionOut(
    Model,
    shows=GoldenQuestion,
    fields="id agent_id question pages language answer_contains answer_matches origin created_at",
):
    created_at: datetime


@example(csv="question,pages,answer_contains\nWhat does the team plan cost?,https://www.example.com/pricing,€12\n")
class GoldenImport(Model):
    csv: str = Field(min_length=1, max_length=rules.MAX_CSV_CHARS, description=_CSV)


class GoldenImportOut(Model, shows=ImportReceipt, fields="added changed"): ...


class AdminGoldenQuestions(Api):
    tag = TAG
    _golden: GoldenQuestions

    @post(
        "/v1/agents/{agent_id}/golden-questions",
        "Create a golden question, with the pages that must be found and what the answer must contain; "
        "it replaces one with the same wording",
        access=write,
        status=201,
    )
    async def create_golden_question(self, call: Call[Actor, GoldenQuestionCreate]) -> GoldenQuestionOut:
        golden = call.input.written_for(call.path_id("agent_id"))
        return GoldenQuestionOut.showing(await self._golden.create(call.caller, golden))

    @get("/v1/agents/{agent_id}/golden-questions", "List an agent's golden questions, oldest first", access=read)
    async def list_golden_questions(self, call: Call[Actor, ListQuery]) -> ListOut[GoldenQuestionOut]:
        page = await self._golden.questions(call.caller, call.path_id("agent_id"), call.input.page)
        return ListOut[GoldenQuestionOut].showing(page)

    @post(
        "/v1/agents/{agent_id}/golden-questions/import",
        "Add golden questions from a CSV file: all or none",
        access=write,
        max_body_bytes=2 * rules.MAX_CSV_CHARS,
    )
    async def import_golden_questions(self, call: Call[Actor, GoldenImport]) -> GoldenImportOut:
        receipt = await self._golden.import_csv(call.caller, call.path_id("agent_id"), call.input.csv)
        return GoldenImportOut.showing(receipt)

    @patch(
        "/v1/agents/{agent_id}/golden-questions/{golden_id}",
        "Change a golden question; only the fields sent change",
        access=write,
    )
    async def edit_golden_question(self, call: Call[Actor, GoldenQuestionPatch]) -> GoldenQuestionOut:
        agent_id, golden_id = call.path_id("agent_id"), call.path_id("golden_id")
        return GoldenQuestionOut.showing(
            await self._golden.change(call.caller, agent_id, golden_id, call.input.applied_to)
        )

    @delete("/v1/agents/{agent_id}/golden-questions/{golden_id}", "Delete a golden question", access=write)
    async def delete_golden_question(self, call: Call[Actor, None]) -> None:
        await self._golden.delete(call.caller, call.path_id("agent_id"), call.path_id("golden_id"))


class GoldenRunIn(Model):
    version: Annotated[Literal["live", "draft", "both"], "An agent that was never published only has a draft."] = "both"
    models: tuple[str, ...] = Field((), description="Have the draft answer with each: usual, names of models, none.")
    judge: Judge = Field(
        "words", description="With models: whether the helper model judges expected texts that words do not find."
    )


class GoldenMarkOut(
    Model, shows=GoldenMark, fields="golden_id question place confidence would_answer is_right missing judged_by"
): ...


class GoldenScoreOut(Model, shows=GoldenSide, fields="right stages abstained degraded"): ...


class GoldenSideOut(GoldenScoreOut):
    marks: tuple[GoldenMarkOut, ...]


class ModelScoreOut(
    Model, shows=ModelSide, fields="model right wrong withheld unconfirmed tokens cost first_ms ms"
): ...


class ModelSideOut(ModelScoreOut):
    marks: tuple[GoldenMarkOut, ...]


class GoldenRunRowOut(
    Model,
    shows=GoldenRun,
    fields="id asked_by asked_at milliseconds generation live_version questions asked is_complete is_running won lost",
):
    live: GoldenScoreOut | None
    draft: GoldenScoreOut | None
    models: tuple[ModelScoreOut, ...]


class GoldenRunOut(GoldenRunRowOut):
    live: GoldenSideOut | None
    draft: GoldenSideOut | None
    models: tuple[ModelSideOut, ...]


class AdminGoldenRuns(Api):
    tag = TAG
    _runs: GoldenRuns

    @post(
        "/v1/agents/{agent_id}/golden-questions/run",
        "Run the golden questions and keep the result",
        access=write,
        is_input_optional=True,
        status=201,
    )
    async def run_golden_questions(self, call: Call[Actor, GoldenRunIn]) -> GoldenRunOut:
        version, agent_id = call.input.version, call.path_id("agent_id")
        if call.input.models:
            run = await self._runs.run_models(call.caller, agent_id, call.input.models, call.input.judge)
            return GoldenRunOut.showing(run)
        if call.input.judge == "model":
            raise InvalidInput("judge", "Name the models to compare as well.")
        versions: tuple[Version, ...] = ("live", "draft") if version == "both" else (version,)
        return GoldenRunOut.showing(await self._runs.run(call.caller, agent_id, versions))

    @get("/v1/agents/{agent_id}/golden-runs", f"List the latest {KEPT} runs, latest first", access=read)
    async def list_golden_runs(self, call: Call[Actor, ListQuery]) -> ListOut[GoldenRunRowOut]:
        page = await self._runs.page(call.caller, call.path_id("agent_id"), call.input.page)
        return ListOut[GoldenRunRowOut].showing(page)

    @get("/v1/agents/{agent_id}/golden-runs/{golden_run_id}", "Get a run, question by question", access=read)
    async def get_golden_run(self, call: Call[Actor, None]) -> GoldenRunOut:
        run = await self._runs.golden_run(call.caller, call.path_id("agent_id"), call.path_id("golden_run_id"))
        return GoldenRunOut.showing(run)
