"""Admin API: golden questions."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated
from uuid import UUID, uuid4

from pydantic import ConfigDict, Field

from app.domain.golden_question import GoldenOrigin, GoldenQuestion
from app.operating import golden_questions as rules
from app.operating.actor import Actor
from app.operating.golden_questions import GoldenQuestions
from app.web.admin_access import AdminAccess
from app.web.endpoint import AnyEndpoint, Call, Endpoint, Model, without_defaults
from app.web.list_models import ListOut, ListQuery, listed

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

    @classmethod
    def of(cls, golden: GoldenQuestion) -> "GoldenQuestionOut":
        return cls.model_validate(golden)


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


class AdminGoldenQuestions:
    def __init__(self, golden: GoldenQuestions, access: AdminAccess) -> None:
        self._golden = golden
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        many = "/v1/agents/{agent_id}/golden-questions"
        one = many + "/{golden_id}"
        read, write = self._access.read, self._access.write
        return (
            Endpoint(
                "POST",
                many,
                "createGoldenQuestion",
                "Write down a question with the pages that must be found and what the answer must hold; a known "
                "wording gets these",
                TAG,
                write,
                self.create,
                input_model=GoldenQuestionCreate,
                response_model=GoldenQuestionOut,
                status=201,
                codes=("not_found",),
            ),
            Endpoint(
                "GET",
                many,
                "listGoldenQuestions",
                "An agent's golden questions, oldest first",
                TAG,
                read,
                self.of_agent,
                input_model=ListQuery,
                response_model=ListOut[GoldenQuestionOut],
                codes=("not_found",),
            ),
            Endpoint(
                "POST",
                many + "/import",
                "importGoldenQuestions",
                "Add golden questions from a CSV, all or none",
                TAG,
                write,
                self.import_csv,
                input_model=GoldenImport,
                response_model=GoldenImportOut,
                max_body_bytes=2 * rules.MAX_CSV_CHARS,
                codes=("not_found",),
            ),
            Endpoint(
                "PATCH",
                one,
                "editGoldenQuestion",
                "Change a golden question; only what is sent changes",
                TAG,
                write,
                self.patch,
                input_model=GoldenQuestionPatch,
                response_model=GoldenQuestionOut,
                codes=("not_found",),
            ),
            Endpoint(
                "DELETE",
                one,
                "deleteGoldenQuestion",
                "Delete a golden question",
                TAG,
                write,
                self.delete,
                status=204,
                codes=("not_found",),
            ),
        )

    async def create(self, call: Call[Actor, GoldenQuestionCreate]) -> GoldenQuestionOut:
        golden = GoldenQuestion(uuid4(), call.path_id("agent_id"), **call.input.model_dump())
        return GoldenQuestionOut.of(await self._golden.create(call.caller, golden))

    async def of_agent(self, call: Call[Actor, ListQuery]) -> ListOut[GoldenQuestionOut]:
        page = await self._golden.of_agent(call.caller, call.path_id("agent_id"), call.input.page)
        return listed(ListOut[GoldenQuestionOut], page, GoldenQuestionOut.of)

    async def import_csv(self, call: Call[Actor, GoldenImport]) -> GoldenImportOut:
        receipt = await self._golden.import_csv(call.caller, call.path_id("agent_id"), call.input.csv)
        return GoldenImportOut.model_validate(receipt)

    async def patch(self, call: Call[Actor, GoldenQuestionPatch]) -> GoldenQuestionOut:
        sent = call.input.model_dump(exclude_unset=True)
        golden = await self._golden.change(
            call.caller,
            call.path_id("agent_id"),
            call.path_id("golden_id"),
            lambda current: replace(current, **sent),
        )
        return GoldenQuestionOut.of(golden)

    async def delete(self, call: Call[Actor, None]) -> None:
        await self._golden.delete(call.caller, call.path_id("agent_id"), call.path_id("golden_id"))
