"""Admin API: ask the agent as a visitor would, live or draft, and see how the answer was made."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Annotated, Any
from uuid import uuid4

import anyio
import structlog
from pydantic import Field
from sse_starlette import EventSourceResponse
from starlette.responses import Response

from app.agents.agent import LiveAgent, Version
from app.agents.agents import Agents
from app.agents.api.retrieval_models import SearchFilterModel
from app.answers.playground import Playground, PlaygroundAnswer, PlaygroundListener, PlaygroundQuestion
from app.conversations.api.widget_models import AnyPageContext, CitationOut, flattened
from app.conversations.history import TURNS
from app.core.actor import Actor
from app.core.errors import InvalidInput, ModelInterrupted
from app.core.field_rules import check_http_url, check_language
from app.core.setting import QUESTION
from app.core.turn import Exchange
from app.core.turn_events import Citations, Done, Error, NumberedEvent, Start, Status, Token, TurnEvent
from app.search.api.agent_search import SearchOut
from app.web.limits_policy import StreamPolicy
from app.web.model import Language, Question, RequiredQuestion, Url
from app.web.operation import Api, Call, Model, StreamWords, example, post, write
from app.web.sse import event_stream, frame

TAG = "Playground"
MAX_ANSWER_CHARS = 20_000
MAX_EXCHANGES = 30
MAX_BODY_BYTES = 512 * 1024
log = structlog.get_logger(__name__)

DESCRIPTION = (
    "Server-Sent Events: start, status, token, citations as in a visitor's stream, then trace (what the same call "
    "without the stream answers) and done, or error. The ids in start and done name nothing: nothing is stored."
)
EXAMPLE = (
    'id: 1\nevent: start\ndata: {"event":"start","turn_id":"2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11",'
    '"conversation_id":"2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11"}\n\n'
)
_BROKE_OFF = Error("model_interrupted", "The answer was interrupted. Ask again.", retryable=True)
_FAILED = Error("internal", "Something went wrong on our side and was logged. Ask again.", retryable=True)


class ExchangeIn(Model):
    question: Question
    answer: str = Field(max_length=MAX_ANSWER_CHARS)


@example(question="Do you ship abroad?", version="draft")
class PlaygroundIn(Model):
    question: RequiredQuestion
    page_url: Url = Field(default="", description="The page that the visitor would be viewing.")
    language: Language | None = Field(default=None, description="Null: detected from the question.")
    page_context: AnyPageContext | None = Field(default=None, description="The context that the page would send.")
    filter: SearchFilterModel = Field(default_factory=SearchFilterModel, description="Beside the agent's own filter.")
    version: Version = Field(default="draft", description="Whose settings to use.")
    models: tuple[str, ...] = Field((), description="Write with each, one or two: usual, names of models, none.")
    history: tuple[ExchangeIn, ...] = Field(
        default=(),
        description=f"The conversation so far, oldest first. Answers use the last {TURNS} exchanges, as for visitors.",
        max_length=MAX_EXCHANGES,
    )


class PromptMessageOut(Model):
    role: str
    content: str


class TrialAnswerOut(
    Model,
    shows=PlaygroundAnswer,
    fields="answer citations answered_by confidence low_confidence=is_low_confidence finish gap language "
    "curated_answer_id first_token_ms duration_ms search standalone prompt",
):
    citations: tuple[CitationOut, ...]
    search: SearchOut | None
    prompt: tuple[PromptMessageOut, ...]


class PlaygroundOut(TrialAnswerOut):
    others: Annotated[tuple[TrialAnswerOut, ...], "The answer of the second of `models`, if two were given."]


class AdminPlayground(Api):
    tag = TAG
    _playground: Playground
    _agents: Agents
    _streams: StreamPolicy

    @post(
        "/v1/agents/{agent_id}/playground",
        "Ask as a visitor would, with the draft or the live version; nothing is stored or counted",
        access=write,  # it may use the model's tokens
        max_body_bytes=MAX_BODY_BYTES,
        codes=("unavailable", "model_interrupted"),
    )
    async def ask_playground(self, call: Call[Actor, PlaygroundIn]) -> PlaygroundOut:
        workspace_id, agent_id = call.caller.workspace_id, call.path_id("agent_id")
        questions, version = await self._questions(call, most=2), call.input.version
        answers = await asyncio.gather(
            *(self._playground.ask(workspace_id, agent_id, one, version) for one in questions)
        )
        return PlaygroundOut.showing(answers[0], others=tuple(map(TrialAnswerOut.showing, answers[1:])))

    @post(
        "/v1/agents/{agent_id}/playground/stream",
        "Ask as a visitor would, and stream the answer; nothing is stored or counted",
        access=write,
        response_media_type="text/event-stream",
        stream=StreamWords(DESCRIPTION, EXAMPLE),
        max_body_bytes=MAX_BODY_BYTES,
    )
    async def stream_playground(self, call: Call[Actor, PlaygroundIn]) -> Response:
        [question], version = await self._questions(call, most=1), call.input.version
        agent = await self._playground.agent(call.caller.workspace_id, call.path_id("agent_id"), version)

        def trace(answer: PlaygroundAnswer) -> dict[str, Any]:
            return TrialAnswerOut.showing(answer).model_dump(mode="json")

        return playground_response(self._playground, agent, question, version, trace, self._streams)

    async def _questions(self, call: Call[Actor, PlaygroundIn], most: int) -> list[PlaygroundQuestion]:
        """The question for each of the models. Raises InvalidInput, naming the field."""
        given, models, only = call.input, call.input.models, call.input.filter.checked()
        QUESTION.check("question", given.question)
        if given.page_url:
            check_http_url("page_url", given.page_url)
        check_language("language", given.language)
        context, said = flattened(given.page_context), tuple(past.made(Exchange) for past in given.history)
        question = given.made(PlaygroundQuestion, text=given.question, page_context=context, only=only, history=said)
        if not models:
            return [question]
        known = await self._agents.model_choices(call.caller)
        if not set(models) <= set(known) or len(set(models)) < len(models) or len(models) > most:
            raise InvalidInput("models", f"Choose {'one' if most == 1 else 'one or two'} of: {', '.join(known)}.")
        return [replace(question, model=name) for name in models]


def playground_response(
    playground: Playground,
    agent: LiveAgent,
    question: PlaygroundQuestion,
    version: Version,
    trace: Callable[[PlaygroundAnswer], dict[str, Any]],
    policy: StreamPolicy,
) -> EventSourceResponse:
    """Stream the events of a turn, with `trace` before the last one. If the client disconnects, the answer is
    cancelled, because nobody else can rejoin this turn."""
    events: asyncio.Queue[TurnEvent | PlaygroundAnswer] = asyncio.Queue()
    listener = PlaygroundListener(
        lambda stage: events.put_nowait(Status(stage)), lambda piece: events.put_nowait(Token(piece))
    )

    async def write() -> None:
        try:
            events.put_nowait(await playground.ask(agent.workspace_id, agent.id, question, version, listener))
        except ModelInterrupted:
            events.put_nowait(_BROKE_OFF)
        except Exception:
            log.exception("playground.failed", agent=str(agent.id))
            events.put_nowait(_FAILED)

    async def frames() -> AsyncIterator[bytes]:
        name, number = uuid4(), 1
        yield frame(NumberedEvent(number, Start(name, name)))
        writing = asyncio.create_task(write())
        try:
            while True:
                event = await events.get()
                if not isinstance(event, PlaygroundAnswer):
                    number += 1
                    yield frame(NumberedEvent(number, event))
                    if isinstance(event, Error):
                        return
                    continue
                if event.citations:
                    number += 1
                    yield frame(NumberedEvent(number, Citations(event.citations)))
                yield _trace_frame(number + 1, trace(event))
                ending = (event.answered_by, event.is_low_confidence, event.confidence, event.finish)
                yield frame(NumberedEvent(number + 2, Done(name, name, *ending)))
                return
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

    return event_stream(frames(), policy, anyio.Event(), grace_seconds=1)


def _trace_frame(number: int, trace: dict[str, Any]) -> bytes:
    data = json.dumps({"event": "trace", **trace}, ensure_ascii=True, separators=(",", ":"))
    return f"id: {number}\nevent: trace\ndata: {data}\n\n".encode("ascii")
