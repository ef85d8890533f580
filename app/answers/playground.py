"""An operator asks the agent, live or draft, as a visitor would; nothing is stored, counted or learnt from it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

from app.agents.agent import LiveAgent, Version
from app.agents.records import AgentRecords
from app.answers.answer_pipeline import AnswerPipeline, Asking
from app.answers.curated.records import CuratedAnswerRecords
from app.answers.query_contextualizer import QueryContextualizer
from app.answers.token_meter import TokenMeter
from app.answers.writing.prompt_builder import PromptBuilder
from app.conversations.history import TURNS
from app.core.search_filter import SearchFilter
from app.core.turn import AnsweredBy, Citation, Exchange, Finish, GapReason, TokenUsage, TurnRequest
from app.kit.wiring import Wired
from app.providers.chat.chat_model import ChatMessage, ChatModel
from app.search.agent_search import AgentSearch
from app.search.retrieval import Retrieval, SearchQuery
from app.store.system_of_record import SystemOfRecord


@dataclass(frozen=True, slots=True)
class PlaygroundQuestion:
    """`language` is that of the answer (BCP 47 primary subtag), None to detect it from the question. `standalone` is
    what search looks for, "" for the question itself; `page_context` is what the visitor's page would send about
    itself. Pages must pass `only` and the agent's own filter; the curated answer `leaves_out` is skipped. `history` is
    the conversation so far, oldest first; as for visitors, answers know its last TURNS. `model`, of the
    installation's choices, writes in place of the version's `chat_model`, unless it is None."""

    text: str
    page_url: str = ""
    language: str | None = None
    page_context: str = ""
    standalone: str = ""
    only: SearchFilter = field(default_factory=SearchFilter)
    leaves_out: UUID | None = None
    history: tuple[Exchange, ...] = ()
    model: str | None = None


@dataclass(frozen=True, slots=True)
class PlaygroundAnswer:
    """`search` has every ranked chunk with its scores and the trace of the stages, as `SearchReport.as_json` returns
    them, and `retrieval` the same as a value; both are None for a curated answer. `prompt` is what the chat model was
    given, empty without one; `check` what the check of its sentences found, None if there was none; `usage` is of all
    calls of chat models."""

    answer: str
    answered_by: AnsweredBy
    confidence: float
    is_low_confidence: bool
    finish: Finish
    language: str | None
    duration_ms: int
    first_token_ms: int | None = None
    citations: tuple[Citation, ...] = ()
    gap: Annotated[GapReason | None, "Why the question would count as a gap; null if it would not."] = None
    curated_answer_id: UUID | None = None
    search: Annotated[dict[str, Any] | None, "What each stage of the search found; null for a curated answer."] = None
    retrieval: Retrieval | None = None
    standalone: Annotated[
        str, "The search query: the question, rewritten to be understood without the conversation."
    ] = ""
    prompt: Annotated[tuple[ChatMessage, ...], "Messages sent to the chat model; empty without one."] = ()
    check: dict[str, Any] | None = None
    usage: TokenUsage = field(default_factory=TokenUsage)


@dataclass(frozen=True, slots=True)
class PlaygroundListener:
    """Callbacks while an answer is made."""

    on_stage: Callable[[Literal["searching", "thinking", "writing"]], None] = field(default=lambda stage: None)
    on_text: Callable[[str], None] = field(default=lambda piece: None)


_NOBODY = PlaygroundListener()


@dataclass(frozen=True, slots=True)
class Quotes:
    """The playground that asks no chat model: its answers quote the pages."""

    playground: "Playground"


class Playground(Wired):
    """The answer pipeline without a visitor: the question brings its history, and nothing is stored. `search` finds the
    sources; `helper` is the model for what visitors do not read, if there is one."""

    _records: SystemOfRecord
    _pipeline: AnswerPipeline
    search: AgentSearch
    _completer: QueryContextualizer
    _prompts: PromptBuilder
    helper: ChatModel | None = None

    async def agent(self, workspace_id: UUID, agent_id: UUID, version: Version) -> LiveAgent:
        """Raises NotFound for an agent that is absent, another workspace's, or not published."""
        return await self._records.of_workspace(workspace_id).read(
            lambda tx: AgentRecords(tx).by_version(workspace_id, agent_id, version)
        )

    async def ask(
        self,
        workspace_id: UUID,
        agent_id: UUID,
        question: PlaygroundQuestion,
        version: Version,
        listener: PlaygroundListener = _NOBODY,
    ) -> PlaygroundAnswer:
        """Raises NotFound as `agent` does, IndexUnavailable, ModelInterrupted."""
        began = perf_counter()
        meter = TokenMeter()
        meter.begin()
        agent = await self.agent(workspace_id, agent_id, version)
        if question.model is not None:
            agent = replace(agent, config=replace(agent.config, chat_model=question.model))
        language = question.language or self._pipeline.language(agent, question.text)
        request = TurnRequest(uuid4(), question.text, question.page_url, question.page_context, question.only)
        asking = Asking(request, language, locale=question.language or "", history=question.history[-TURNS:])
        listener.on_stage("searching")
        answers = await self._records.of_workspace(workspace_id).read(
            lambda tx: CuratedAnswerRecords(tx).answers(agent_id)
        )
        answers = [answer for answer in answers if answer.id != question.leaves_out]
        ready = await self._pipeline.ready(agent, answers, asking)
        if ready is not None:
            listener.on_text(ready.text)
            return PlaygroundAnswer(
                ready.text,
                ready.answered_by,
                1.0,
                is_low_confidence=False,
                finish=Finish.COMPLETE,
                language=ready.language or language,
                duration_ms=_ms_since(began),
                first_token_ms=_ms_since(began),
                curated_answer_id=ready.curated_id,
            )
        known = asking.history if agent.config.retrieval.follow_ups else ()
        standalone = question.standalone or await self._completer.complete(question.text, known)
        query = SearchQuery(
            standalone, question.page_url, asked_in=language, filters=(question.only,), bare=question.text
        )
        report = await self.search.search(workspace_id, agent_id, query, version)
        generation = await self._pipeline.generation(
            agent, asking, lambda piece, whole: listener.on_text(piece), standalone=standalone, found=report.retrieval
        )
        generation.on_stage = listener.on_stage
        listener.on_stage("writing")
        await self._pipeline.write(generation)
        outcome = self._pipeline.outcome(agent, asking, generation, report.retrieval)
        return PlaygroundAnswer(
            generation.text,
            generation.answered_by,
            round(outcome.confidence, 4),
            outcome.is_low,
            generation.finish,
            language,
            _ms_since(began),
            None if generation.first_token_at is None else round((generation.first_token_at - began) * 1000),
            generation.citations,
            outcome.gap,
            search=report.as_json(),
            retrieval=report.retrieval,
            standalone=generation.context.standalone,
            prompt=tuple(self._prompts.build(generation.context)) if generation.context.model else (),
            check=generation.trace.get("answer_check"),
            usage=meter.usage,
        )


def _ms_since(began: float) -> int:
    return round((perf_counter() - began) * 1000)
