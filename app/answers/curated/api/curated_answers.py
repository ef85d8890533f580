"""Admin API: curated answers."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID, uuid4

from pydantic import ConfigDict, Field

from app.answers.curated import curated_answers as rules
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedAnswers
from app.core.actor import Actor
from app.web.access import read, write
from app.web.endpoint import Api, Call, delete, get, patch, post
from app.web.list_models import ListOut, ListQuery, listed
from app.web.model import Model, without_defaults
from app.web.moments import Moment

TAG = "Curated answers"
_TRIGGER = (
    "exact: the whole question; phrase: the words anywhere in it; any_of: one of several words or phrases; regex: an "
    "RE2 regular expression, case ignored (its \\b and \\w know ASCII letters only); semantic: the question means "
    "what one of several questions means, asked only where nothing else fits."
)
_PATTERN = "For any_of and semantic one a line; one line for the others."


class CuratedAnswerReach(Model):
    priority: int = Field(default=0, ge=-rules.MAX_PRIORITY, le=rules.MAX_PRIORITY, description="Higher wins.")
    language: str | None = Field(default=None, max_length=3)
    page_prefix: str = Field(default="", max_length=rules.MAX_PAGE_PREFIX_CHARS, description='Such as "/pricing".')
    expires_at: Moment | None = None


class CuratedAnswerCreate(CuratedAnswerReach):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"trigger": "phrase", "pattern": "opening hours", "answer": "We are open from 9 to 17 on weekdays."}
            ]
        }
    )

    trigger: Trigger = Field(description=_TRIGGER)
    pattern: str = Field(min_length=1, max_length=rules.MAX_PATTERNS_CHARS, description=_PATTERN)
    answer: str = Field(min_length=1, max_length=rules.MAX_ANSWER_CHARS)

    def written_for(self, agent_id: UUID) -> CuratedAnswer:
        return CuratedAnswer(id=uuid4(), agent_id=agent_id, **self.model_dump())


class CuratedAnswerPatch(CuratedAnswerReach):
    """Only what is sent changes."""

    model_config = ConfigDict(json_schema_extra=without_defaults)

    trigger: Trigger = Field(default=Trigger.EXACT, description=_TRIGGER)
    pattern: str = Field(default="?", min_length=1, max_length=rules.MAX_PATTERNS_CHARS, description=_PATTERN)
    answer: str = Field(default="?", min_length=1, max_length=rules.MAX_ANSWER_CHARS)


class CuratedAnswerOut(Model):
    id: UUID
    agent_id: UUID
    trigger: Trigger
    pattern: str
    answer: str
    priority: int
    language: str | None
    page_prefix: str
    expires_at: datetime | None
    hits: int = Field(description="Turns that it answered.")
    last_hit_at: datetime | None

    @classmethod
    def of(cls, answer: CuratedAnswer) -> "CuratedAnswerOut":
        return cls.model_validate(answer)


class AdminCuratedAnswers(Api):
    tag = TAG

    def __init__(self, answers: CuratedAnswers) -> None:
        self._answers = answers

    @post(
        "/v1/agents/{agent_id}/curated-answers",
        "Write an answer that comes before any search",
        access=write,
        status=201,
        codes=("not_found",),
    )
    async def create_curated_answer(self, call: Call[Actor, CuratedAnswerCreate]) -> CuratedAnswerOut:
        answer = call.input.written_for(call.path_id("agent_id"))
        return CuratedAnswerOut.of(await self._answers.create(call.caller, answer))

    @get(
        "/v1/agents/{agent_id}/curated-answers",
        "An agent's curated answers, oldest first",
        access=read,
        codes=("not_found",),
    )
    async def list_curated_answers(self, call: Call[Actor, ListQuery]) -> ListOut[CuratedAnswerOut]:
        page = await self._answers.of_agent(call.caller, call.path_id("agent_id"), call.input.page)
        return listed(ListOut[CuratedAnswerOut], page, CuratedAnswerOut.of)

    @get("/v1/agents/{agent_id}/curated-answers/{answer_id}", "One curated answer", access=read, codes=("not_found",))
    async def get_curated_answer(self, call: Call[Actor, None]) -> CuratedAnswerOut:
        answer = await self._answers.get(call.caller, call.path_id("agent_id"), call.path_id("answer_id"))
        return CuratedAnswerOut.of(answer)

    @patch(
        "/v1/agents/{agent_id}/curated-answers/{answer_id}",
        "Change a curated answer; only what is sent changes",
        access=write,
        codes=("not_found",),
    )
    async def edit_curated_answer(self, call: Call[Actor, CuratedAnswerPatch]) -> CuratedAnswerOut:
        sent = call.input.model_dump(exclude_unset=True)
        answer = await self._answers.change(
            call.caller,
            call.path_id("agent_id"),
            call.path_id("answer_id"),
            lambda current: replace(current, **sent),
        )
        return CuratedAnswerOut.of(answer)

    @delete(
        "/v1/agents/{agent_id}/curated-answers/{answer_id}",
        "Delete a curated answer",
        access=write,
        status=204,
        codes=("not_found",),
    )
    async def delete_curated_answer(self, call: Call[Actor, None]) -> None:
        await self._answers.delete(call.caller, call.path_id("agent_id"), call.path_id("answer_id"))
