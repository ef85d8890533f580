"""An operator asks the agent, live or draft, as a visitor would: nothing is stored, counted or learnt from it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal
from uuid import UUID, uuid4

from app.answering.agent_search import AgentSearch
from app.answering.answer_writers import answer_writers
from app.answering.brief import AnswerBrief, AnswerWriter
from app.answering.composition import Composition, new_canary
from app.answering.curated_matcher import CuratedMatcher
from app.answering.handoff import ReadyAnswer, handed_over, of_curated
from app.answering.page_context import rests_on_visitors_page, sources_with_page
from app.answering.prompt_builder import PromptBuilder
from app.answering.retrieval import Retrieval, SearchQuery
from app.answering.search_pipeline import SearchParts
from app.answering.small_talk_answer import small_talk_answer
from app.domain.agent import LiveAgent
from app.domain.chunk import Chunk
from app.domain.confidence import answer_confidence
from app.domain.gap import GapReason
from app.domain.gap_detector import gap_reason
from app.domain.own_words import own_words
from app.domain.page_url import same_page_urls
from app.domain.search_filter import SearchFilter
from app.domain.turn import AnsweredBy, Citation, Finish, TurnRequest
from app.domain.turn_language import turn_language
from app.ports.cache import Cache
from app.ports.chat_model import ChatMessage
from app.ports.clock import Clock
from app.ports.embedder import Embedder
from app.ports.language_guesser import LanguageGuesser
from app.ports.pattern_matcher import PatternMatcher
from app.store.agents import AgentRecords
from app.store.curated_answers import CuratedAnswerRecords
from app.store.live_documents import LiveDocumentRecords
from app.store.system_of_record import SystemOfRecord

Version = Literal["live", "draft"]


@dataclass(frozen=True, slots=True)
class PlaygroundQuestion:
    """`language` is what the visitor would be answered in (BCP 47 primary subtag), None to tell it from the question.
    `standalone` is what search looks for, "" for the question itself; `page_context` is what the visitor's page would
    say of itself; pages must pass `only`, and the agent's own filter."""

    text: str
    page_url: str = ""
    language: str | None = None
    page_context: str = ""
    standalone: str = ""
    only: SearchFilter = field(default_factory=SearchFilter)


@dataclass(frozen=True, slots=True)
class PlaygroundAnswer:
    """`gap` is what would give the question away as a gap. `search` is every ranked chunk with its scores and the trace
    of the stages, as `SearchReport.as_json` says it, `retrieval` the same as a value, both None for a curated answer;
    `prompt` what the chat model was given, empty without one."""

    answer: str
    answered_by: AnsweredBy
    confidence: float
    is_low_confidence: bool
    finish: Finish
    language: str | None
    duration_ms: int
    first_token_ms: int | None = None
    citations: tuple[Citation, ...] = ()
    gap: GapReason | None = None
    curated_answer_id: UUID | None = None
    search: dict[str, Any] | None = None
    retrieval: Retrieval | None = None
    prompt: tuple[ChatMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaygroundListener:
    """What is called while an answer comes to be."""

    on_stage: Callable[[Literal["searching", "writing"]], None] = field(default=lambda stage: None)
    on_text: Callable[[str], None] = field(default=lambda piece: None)


_NOBODY = PlaygroundListener()


class Playground:
    """Curated answers, search and writers as a turn has them, without a visitor: no history, no record."""

    def __init__(
        self,
        records: SystemOfRecord,
        curated: CuratedMatcher,
        search: AgentSearch,
        writers: Sequence[AnswerWriter],
        prompts: PromptBuilder | None,
        languages: LanguageGuesser,
        clock: Clock,
        embedder: Embedder,
    ) -> None:
        self._records = records
        self._curated = curated
        self._search = search
        self._writers = writers
        self._prompts = prompts
        self._languages = languages
        self._clock = clock
        self._embedder = embedder

    async def agent(self, workspace_id: UUID, agent_id: UUID, version: Version) -> LiveAgent:
        """Raises NotFound for an agent that is absent, another workspace's, or not published."""
        async with self._records.read() as tx:
            known = await AgentRecords(tx).get(workspace_id, agent_id)
            if version == "live":
                return await AgentRecords(tx).live(agent_id)
        return LiveAgent(known.id, workspace_id, 0, known.generation, known.draft)

    async def ask(
        self,
        workspace_id: UUID,
        agent_id: UUID,
        asked: PlaygroundQuestion,
        version: Version,
        listener: PlaygroundListener = _NOBODY,
    ) -> PlaygroundAnswer:
        """Raises NotFound as `agent` does, IndexUnavailable, ModelInterrupted."""
        began = perf_counter()
        agent = await self.agent(workspace_id, agent_id, version)
        language = asked.language or self._language(agent, asked.text)
        listener.on_stage("searching")
        ready = (
            handed_over(agent.config, asked.text, language)
            or await self._curated_answer(agent_id, asked, language)
            or small_talk_answer(agent.config, asked.text, self._languages, locale=asked.language or "")
        )
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
        query = SearchQuery(asked.standalone or asked.text, asked.page_url, asked_in=language, filters=(asked.only,))
        report = await self._search.search(workspace_id, agent_id, query, version)
        request = TurnRequest(uuid4(), asked.text, asked.page_url, asked.page_context)
        brief = await self._brief(
            agent, request, asked, language, report.retrieval, await self._crawled_page(agent, request)
        )
        composition = Composition(brief, lambda piece, whole: listener.on_text(piece), self._embedder)
        listener.on_stage("writing")
        await composition.write(self._writers)
        on_page = rests_on_visitors_page(request, composition.citations)
        confidence = answer_confidence(
            composition.sureness(report.retrieval.best),
            is_cited=bool(composition.citations),
            rests_on_current_page=on_page,
        )
        is_low = report.retrieval.is_low_confidence and not on_page
        is_low = is_low or not composition.citations or confidence < agent.config.confidence_threshold
        return PlaygroundAnswer(
            composition.text,
            composition.answered_by,
            round(confidence, 4),
            is_low,
            composition.finish,
            language,
            _ms_since(began),
            None if composition.first_token_at is None else round((composition.first_token_at - began) * 1000),
            composition.citations,
            gap_reason(composition.answered_by, is_low, composition.text, composition.finish),
            search=report.as_json(),
            retrieval=report.retrieval,
            prompt=tuple(self._prompts.build(brief)) if self._prompts else (),
        )

    async def _curated_answer(
        self, agent_id: UUID, asked: PlaygroundQuestion, language: str | None
    ) -> ReadyAnswer | None:
        async with self._records.read() as tx:
            answers = await CuratedAnswerRecords(tx).of_agent(agent_id)
        return of_curated(
            await self._curated.find(
                answers, asked.text, page_url=asked.page_url, language=language, now=self._clock.now()
            )
        )

    async def _brief(
        self,
        agent: LiveAgent,
        request: TurnRequest,
        asked: PlaygroundQuestion,
        language: str | None,
        retrieval: Retrieval,
        crawled: Sequence[Chunk],
    ) -> AnswerBrief:
        return AnswerBrief(
            agent=agent.config,
            question=asked.text,
            standalone=asked.standalone or asked.text,
            sources=await sources_with_page(request, retrieval.sources, crawled, own_words(language).your_page),
            page_url=asked.page_url,
            language=language,
            canary=new_canary(),
            agent_id=agent.id,
        )

    async def _crawled_page(self, agent: LiveAgent, request: TurnRequest) -> Sequence[Chunk]:
        """Our own copy of the page that the context tells of."""
        if not request.page_context:
            return ()
        async with self._records.read() as tx:
            return await LiveDocumentRecords(tx).page_chunks(agent.id, same_page_urls(request.page_url))

    def _language(self, agent: LiveAgent, question: str) -> str | None:
        """As a turn of a visitor who names no locale."""
        return turn_language(
            pinned=agent.config.language,
            locale="",
            guess=self._languages.guess(question),
            known=self._languages.languages,
        )


def _ms_since(began: float) -> int:
    return round((perf_counter() - began) * 1000)


def playground_on(parts: SearchParts, patterns: PatternMatcher, cache: Cache, languages: LanguageGuesser) -> Playground:
    return Playground(
        parts.record,
        CuratedMatcher(parts.record, patterns, parts.embedder),
        parts.for_operators(cache, languages),
        answer_writers(parts.model, parts.embedder, parts.keywords, parts.tokens),
        PromptBuilder(parts.tokens) if parts.model else None,
        languages,
        parts.clock,
        parts.embedder,
    )
