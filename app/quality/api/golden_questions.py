"""Admin API: golden questions."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated
from uuid import UUID, uuid4

from pydantic import ConfigDict, Field

from app.core.actor import Actor
from app.quality import golden_questions as rules
from app.quality.golden_question import GoldenOrigin, GoldenQuestion
from app.quality.golden_questions import GoldenQuestions
from app.web.operation import (
    Api,
    Call,
    ListOut,
    ListQuery,
    Model,
    delete,
    get,
    patch,
    post,
    read,
    without_defaults,
    write,
)

TAG = "Golden questions"
_PAGES = (
    "URLs, any of which answers it; with none, and nothing said of the answer: the website does not answer it, and the "
    "agent should say so."
)
_CONTAINS = "Texts that the answer must hold, all of them. Case and blanks do not count."
_MATCHES = "Regular expressions (RE2) that must all be found in the answer. Case does not count."
Expected = Annotated[str, Field(min_length=1, max_length=rules.MAX_EXPECTED_CHARS)]


class GoldenQuestionCreate(Model):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "question": "What does the team plan cost?",
                    "pages": ["https://www.example.com/pricing"],
                    "answer_contains": ["€12"],
                    "answer_matches": ["(per|a) month"],
                }
            ]
        }
    )

    question: str = Field(min_length=1, max_length=rules.MAX_QUESTION_CHARS)
    pages: tuple[str, ...] = Field(default=(), description=_PAGES, max_length=rules.MAX_PAGES)
    language: str | None = Field(default=None, max_length=3)
    answer_contains: tuple[Expected, ...] = Field(default=(), description=_CONTAINS, max_length=rules.MAX_EXPECTED)
    answer_matches: tuple[Expected, ...] = Field(default=(), description=_MATCHES, max_length=rules.MAX_EXPECTED)


class GoldenQuestionPatch(Model):
    """Only what is sent changes."""

    model_config = ConfigDict(json_schema_extra=without_defaults)

    question: str = Field(default="?", min_length=1, max_length=rules.MAX_QUESTION_CHARS)
    pages: tuple[str, ...] = Field(default=(), description=_PAGES, max_length=rules.MAX_PAGES)
    language: str | None = Field(default=None, max_length=3)
    answer_contains: tuple[Expected, ...] = Field(default=(), description=_CONTAINS, max_length=rules.MAX_EXPECTED)
    answer_matches: tuple[Expected, ...] = Field(default=(), description=_MATCHES, max_length=rules.MAX_EXPECTED)


class GoldenQuestionOut(Model):
    id: UUID
    agent_id: UUID
    question: str
    pages: tuple[str, ...]
    language: str | None
    answer_contains: tuple[str, ...]
    answer_matches: tuple[str, ...]
    origin: GoldenOrigin
    created_at: datetime


class GoldenImport(Model):
    csv: str = Field(
        min_length=1,
        max_length=rules.MAX_CSV_CHARS,
        description="The first line names the columns: question, pages (URLs with blanks between them), language, "
        "answer_contains and answer_matches (one text or pattern a line of the cell).",
        examples=[
            "question,pages,answer_contains\nWhat does the team plan cost?,https://www.example.com/pricing,€12\n"
        ],
    )


class GoldenImportOut(Model):
    added: int
    changed: int = Field(
        description="Their wording was there: they have new pages and language now, and expect of the "
        "answer what the file says."
    )


class AdminGoldenQuestions(Api):
    tag = TAG

    def __init__(self, golden: GoldenQuestions) -> None:
        self._golden = golden

    @post(
        "/v1/agents/{agent_id}/golden-questions",
        "Create a golden question, with the pages that must be found and what the answer must contain; "
        "it replaces the one of the same wording",
        access=write,
        status=201,
    )
    async def create_golden_question(self, call: Call[Actor, GoldenQuestionCreate]) -> GoldenQuestionOut:
        golden = GoldenQuestion(uuid4(), call.path_id("agent_id"), **call.input.model_dump())
        return GoldenQuestionOut.of(await self._golden.create(call.caller, golden))

    @get("/v1/agents/{agent_id}/golden-questions", "List an agent's golden questions, oldest first", access=read)
    async def list_golden_questions(self, call: Call[Actor, ListQuery]) -> ListOut[GoldenQuestionOut]:
        page = await self._golden.of_agent(call.caller, call.path_id("agent_id"), call.input.page)
        return ListOut[GoldenQuestionOut].of(page)

    @post(
        "/v1/agents/{agent_id}/golden-questions/import",
        "Add golden questions from a CSV, all or none",
        access=write,
        max_body_bytes=2 * rules.MAX_CSV_CHARS,
    )
    async def import_golden_questions(self, call: Call[Actor, GoldenImport]) -> GoldenImportOut:
        receipt = await self._golden.import_csv(call.caller, call.path_id("agent_id"), call.input.csv)
        return GoldenImportOut.of(receipt)

    @patch(
        "/v1/agents/{agent_id}/golden-questions/{golden_id}",
        "Change a golden question; only the fields sent change",
        access=write,
    )
    async def edit_golden_question(self, call: Call[Actor, GoldenQuestionPatch]) -> GoldenQuestionOut:
        sent = call.input.model_dump(exclude_unset=True)
        golden = await self._golden.change(
            call.caller,
            call.path_id("agent_id"),
            call.path_id("golden_id"),
            lambda current: replace(current, **sent),
        )
        return GoldenQuestionOut.of(golden)

    @delete("/v1/agents/{agent_id}/golden-questions/{golden_id}", "Delete a golden question", access=write)
    async def delete_golden_question(self, call: Call[Actor, None]) -> None:
        await self._golden.delete(call.caller, call.path_id("agent_id"), call.path_id("golden_id"))
