"""The page on which an operator talks to the agent as a visitor would: to its draft, its published version, or both."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import anyio
import structlog
from pydantic import TypeAdapter, ValidationError
from starlette.responses import Response

from app.agents.agent import Version
from app.agents.agents import Agents
from app.answers.playground import Playground, PlaygroundAnswer, PlaygroundListener, PlaygroundQuestion
from app.conversations.api.widget_models import CONTEXT, flattened
from app.core.errors import DocentError, InvalidInput, ModelInterrupted
from app.core.field_rules import check_http_url, check_language
from app.core.setting import QUESTION
from app.core.turn import AnsweredBy, Citation, Exchange, GapReason
from app.web.console.page import (
    Drawn,
    Form,
    MenuEntry,
    NoForm,
    Pages,
    Rejected,
    Shown,
    Streamed,
    Visit,
    action,
    page,
    read,
    write,
)
from app.web.console.trace_view import FoundRow, StageRow, found_by_search, stages_of
from app.web.errors import INTERNAL, problem_of
from app.web.limits_policy import StreamPolicy
from app.web.model import Language, Question, Url
from app.web.sse import event_stream

MAX_TURNS: Final = 20
_FOUND: Final = 10
log = structlog.get_logger(__name__)

_STREAM = "text/event-stream"
_BROKE_OFF = "The answer was interrupted. Ask again."


@dataclass(frozen=True, slots=True)
class PromptPart:
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The answer of one version of the agent, or of its draft with another chat model, and how it was made: what the
    page shows of a `PlaygroundAnswer`. `version` is the version's name, or the model's."""

    version: str
    text: str
    answered_by: AnsweredBy
    confidence: float
    is_low_confidence: bool
    gap: GapReason | None
    duration_ms: int
    standalone: str
    citations: tuple[Citation, ...]
    found: tuple[FoundRow, ...]
    stages: tuple[StageRow, ...]
    prompt: tuple[PromptPart, ...]
    tokens: int = 0

    @classmethod
    def from_answer(cls, version: str, answer: PlaygroundAnswer) -> "GivenAnswer":
        return cls(
            version,
            answer.answer,
            answer.answered_by,
            answer.confidence,
            answer.is_low_confidence,
            answer.gap,
            answer.duration_ms,
            answer.standalone,
            answer.citations,
            tuple(found_by_search(answer.search, _FOUND)) if answer.search else (),
            tuple(stages_of(answer.search["trace"])) if answer.search else (),
            tuple(PromptPart(message.role, message.content) for message in answer.prompt),
            answer.usage.tokens,
        )


@dataclass(frozen=True, slots=True)
class TalkTurn:
    """A question and the answer of each version that was asked, at least one."""

    question: str
    answers: tuple[GivenAnswer, ...]

    def as_exchange(self, version: str) -> Exchange:
        """The exchange as `version` remembers it: with its own answer if it gave one."""
        own = next((answer for answer in self.answers if answer.version == version), self.answers[0])
        return Exchange(self.question, own.text)


# The page keeps the talk in a field of its form; the server does not store it.
Talk = tuple[TalkTurn, ...]
_TALK: Final = TypeAdapter(Talk)


def written_talk(talk: Talk) -> str:
    return _TALK.dump_json(talk).decode()


def read_talk(written: str) -> Talk:
    """Raises InvalidInput for text that `written_talk` did not write."""
    try:
        talk = _TALK.validate_json(written) if written else ()
    except ValidationError:
        talk = None
    if talk is None or not all(turn.answers for turn in talk):
        raise InvalidInput("", "This conversation cannot be read. Start a new one.")
    return talk


def history(talk: Sequence[TalkTurn], version: str) -> tuple[Exchange, ...]:
    """Oldest first."""
    return tuple(turn.as_exchange(version) for turn in talk)


class PlaygroundForm(Form):
    """`said` is the conversation before the question, as the page keeps it. With a `model`, or another one `beside`
    it, the draft is asked with each."""

    question: Question
    page_url: Url = ""
    language: Language | None = None
    page_context: Annotated[str, CONTEXT] = ""
    version: Literal["draft", "live", "both"] = "draft"
    model: str = ""
    beside: str = ""
    said: str = ""


def _versions(given: PlaygroundForm) -> tuple[Version, ...]:
    return ("draft", "live") if given.version == "both" else (given.version,)


def _asked(given: PlaygroundForm) -> Sequence[tuple[str, Version, str | None]]:
    """Who is asked: a name, a version and a model, None for the version's own."""
    first: tuple[str, Version, str | None] = (given.model or "draft", "draft", given.model or None)
    if given.beside:
        return [first, (given.beside, "draft", given.beside)]
    return [first] if given.model else [(version, version, None) for version in _versions(given)]


class PlaygroundPages(Pages):
    _playground: Playground
    _agents: Agents
    _streams: StreamPolicy

    @page("/console/agents/{agent_id}/playground", access=read, menu=MenuEntry("Playground", "Knowledge", 3, "play"))
    async def playground(self, visit: Visit[NoForm]) -> Shown:
        talk: Talk = ()
        if visit.rejected:
            with suppress(InvalidInput):
                talk = read_talk("".join(visit.rejected.values.get("said", ())))
        return await self._shown(visit, talk, PlaygroundForm(question=""))

    @action(
        "/console/agents/{agent_id}/playground",
        access=write,
        shown_on="playground",
        max_body_bytes=4 * 1024 * 1024,  # a long conversation, with how each answer was made
    )
    async def ask_playground(self, visit: Visit[PlaygroundForm]) -> Shown | Streamed:
        """Streams the answer as it is written, and then the page, to a client that asks for events; else returns the
        page."""
        given = visit.input
        talk = _checked(visit, await self._agents.model_choices(visit.actor))
        await self._agents.tried(visit.actor, visit.agent.id)
        if _STREAM in visit.request.headers.get("accept", ""):
            return Streamed(lambda drawn: self._streamed(visit, talk, drawn))
        return await self._shown(visit, (*talk, await self._turn(visit, talk)), given)

    def _streamed(self, visit: Visit[PlaygroundForm], talk: Talk, drawn: Drawn) -> Response:
        return event_stream(self._frames(visit, talk, drawn), self._streams, anyio.Event(), grace_seconds=1)

    async def _frames(self, visit: Visit[PlaygroundForm], talk: Talk, drawn: Drawn) -> AsyncIterator[bytes]:
        """Events `token` and `status` of each version, and last of all `page`. If the reader leaves, the asking
        ends."""
        frames: asyncio.Queue[bytes | Shown] = asyncio.Queue()

        async def ask() -> None:
            try:
                shown = await self._shown(visit, (*talk, await self._turn(visit, talk, frames)), visit.input)
            except DocentError as error:
                shown = await self._refused(visit, talk, problem_of(error).message)
            except Exception:
                log.exception("playground.failed", agent=str(visit.agent.id))
                shown = await self._refused(visit, talk, INTERNAL.message)
            frames.put_nowait(shown)

        asking = asyncio.create_task(ask())
        try:
            while isinstance(frame := await frames.get(), bytes):
                yield frame
            yield _frame("page", html=await drawn(frame))
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)

    async def _turn(
        self, visit: Visit[PlaygroundForm], talk: Talk, frames: asyncio.Queue[bytes | Shown] | None = None
    ) -> TalkTurn:
        """Raises InvalidInput if an answer broke off, and what the playground raises."""
        given = visit.input

        async def ask(name: str, version: Version, model: str | None) -> GivenAnswer:
            def tell(event: str, **values: str) -> None:
                if frames is not None:
                    frames.put_nowait(_frame(event, version=name, **values))

            listener = PlaygroundListener(
                lambda stage: tell("status", stage=stage), lambda text: tell("token", token=text)
            )
            question = PlaygroundQuestion(
                given.question,
                given.page_url,
                given.language,
                flattened(given.page_context or None),
                history=history(talk, name),
                model=model,
            )
            answer = await self._playground.ask(visit.agent.workspace_id, visit.agent.id, question, version, listener)
            return GivenAnswer.from_answer(name, answer)

        try:
            answers = await asyncio.gather(*(ask(*each) for each in _asked(given)))
        except ModelInterrupted:
            raise InvalidInput("", _BROKE_OFF) from None
        return TalkTurn(given.question, tuple(answers))

    async def _shown(self, visit: Visit[Any], talk: Talk, given: PlaygroundForm, form: Rejected | None = None) -> Shown:
        models = await self._agents.model_choices(visit.actor)
        context = {"talk": talk, "said": written_talk(talk), "given": given, "models": models}
        return Shown("answers/playground.html", context, form=form)

    async def _refused(self, visit: Visit[PlaygroundForm], talk: Talk, message: str) -> Shown:
        given = visit.input
        values = {name: (str(value),) for name, value in given.model_dump(exclude_none=True).items()}
        return await self._shown(visit, talk, given, Rejected(visit.page.name, values, {"": message}))


def _checked(visit: Visit[PlaygroundForm], models: Sequence[str]) -> Talk:
    """The conversation before the question. Raises InvalidInput for a question that cannot be asked."""
    given = visit.input
    QUESTION.check("question", given.question)
    if given.page_url:
        check_http_url("page_url", given.page_url)
    check_language("language", given.language)
    if not set(_versions(given)) <= set(visit.agent.versions):
        raise InvalidInput("version", "This agent is not published yet. Ask the draft.")
    for field, name in (("model", given.model), ("beside", given.beside)):
        if name and name not in models:
            raise InvalidInput(field, f"Choose one of: {', '.join(models)}.")
    if given.beside and given.beside == given.model:
        raise InvalidInput("beside", "Choose another model than the first.")
    talk = read_talk(given.said)
    if len(talk) >= MAX_TURNS:
        raise InvalidInput("question", f"A conversation here can have at most {MAX_TURNS} questions. Start a new one.")
    return talk


def _frame(event: str, **fields: str) -> bytes:
    return f"event: {event}\ndata: {json.dumps(fields, separators=(',', ':'))}\n\n".encode("ascii")
