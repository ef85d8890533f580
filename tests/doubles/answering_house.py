"""The answering room over a real SQLite record, with small doubles for indexes and models."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from app.actions.action import ActionHosts
from app.actions.action_calls import ActionCalls
from app.agents.agent import AgentConfig, LiveAgent
from app.agents.records.agents import AgentRecords
from app.answers.answer_pipeline import AnswerPipeline
from app.answers.curated.curated_matcher import CuratedMatcher
from app.answers.query_contextualizer import StitchingContextualizer
from app.answers.token_meter import BudgetedChatModel
from app.answers.writing.answer_context import AnswerWriter
from app.answers.writing.answer_writers import answer_writers
from app.answers.writing.passage_judge import PassageJudge
from app.conversations.conversations import Conversations
from app.conversations.history import History
from app.core.search_filter import SearchFilter
from app.core.turn import TurnRequest, VisitorSession
from app.core.turn_events import TurnEvent
from app.kit.language_guesser import LanguageGuesser
from app.kit.pattern_matcher import PatternMatcher
from app.knowledge.chunk_contexts import ChunkContexts
from app.knowledge.chunk_indexer import ChunkIndexer
from app.knowledge.chunk_limits import ChunkLimits
from app.knowledge.chunker import Chunker
from app.knowledge.document import PageContent
from app.knowledge.ingest import Ingest
from app.knowledge.retire import Retire
from app.providers.chat.chat_model import ChatModel
from app.providers.http_caller import HttpCaller
from app.providers.markdown_text_splitter import MarkdownTextSplitter
from app.providers.shipped_weights import EMBEDDER_FOLDER
from app.providers.tokenizers_token_counter import TokenizersTokenCounter
from app.quality.records.golden_questions import written_questions
from app.search.agent_search import AgentSearch
from app.search.index_watch import IndexWatch
from app.search.retrieval import SearchQuery
from app.search.retriever import Retriever
from app.search.search_pipeline import SearchParts
from app.sources.records.sources import SourceRecords
from app.sources.source import SourceConfig, SourceKind
from app.store.system_of_record import SystemOfRecord
from app.turns.next_questions import NextQuestionFinder
from app.turns.remote.remote_turns import SharedTurns
from app.turns.remote.unshared_turns import MemoryTurnOrders, UnsharedTurnLog
from app.turns.turn_run import TurnTools
from app.turns.turns import Turns
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.counting_rate_limiter import CountingRateLimiter
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_cache import DictCache
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.doubles.memory_vector_index import MemoryVectorIndex
from tests.doubles.overlap_reranker import OverlapReranker
from tests.doubles.shop_api import SHOP_HOST
from tests.doubles.temporary_record import temporary_record

SITE = "https://lamps.example"
TOKENS = TokenizersTokenCounter(EMBEDDER_FOLDER)  # a tokenizer takes 50 ms to read
PAGES = {
    "/returns": "# Returns\n\nYou may return a lamp within 30 days. We pay the postage for every return of a lamp.",
    "/shipping": "# Shipping\n\nShipping a lamp to Norway takes 5 days. Shipping costs 9 euros for each lamp.",
    "/warranty": "# Warranty\n\nEvery lamp has a warranty of 3 years. The warranty covers the battery as well.",
}


@dataclass
class AnsweringHouse:
    """`session` is a visitor's; `learn` adds pages; `ask` plays a whole turn and returns its events."""

    record: SystemOfRecord
    clock: FixedClock
    embedder: HashingEmbedder
    vectors: MemoryVectorIndex
    keywords: MemoryKeywordIndex
    reranker: OverlapReranker
    cache: DictCache
    retriever: Retriever
    search: AgentSearch
    tools: TurnTools
    turns: Turns
    conversations: Conversations
    agent_id: UUID
    source_id: UUID
    workspace_id: UUID
    session: VisitorSession
    sent: list[TurnRequest] = field(default_factory=list)

    async def learn(
        self, path: str, markdown: str, *, language: str = "en", modified: date | None = None, **attributes: str
    ) -> None:
        """`attributes` have one value each."""
        indexer = ChunkIndexer(self.record, self.embedder, self.vectors, self.keywords)
        chunker = Chunker(MarkdownTextSplitter(TOKENS), TOKENS, ChunkLimits())
        contexts = ChunkContexts(self.record, TOKENS, self.embedder.max_tokens, None)
        ingest = Ingest(self.record, chunker, contexts, indexer, Retire(self.record, indexer))
        title = markdown.splitlines()[0].removeprefix("# ")
        page = PageContent(f"{SITE}{path}", title, markdown, site="lamps.example", language=language, modified=modified)
        page = replace(page, attributes={name: (value,) for name, value in attributes.items()})
        await ingest.learn(self.agent_id, self.source_id, page)

    async def live_agent(self, **settings: Any) -> LiveAgent:
        """With these retrieval settings instead of the agent's own."""
        agent = await self.record.read(lambda tx: AgentRecords(tx).live(self.agent_id))
        return replace(agent, config=replace(agent.config, retrieval=replace(agent.config.retrieval, **settings)))

    async def found(self, question: str, *filters: SearchFilter, **settings: Any) -> list[str]:
        """The paths of the pages that search finds, best first, each once."""
        found = await self.retriever.retrieve(await self.live_agent(**settings), SearchQuery(question, filters=filters))
        return list(dict.fromkeys(item.chunk.url.removeprefix(SITE) for item in found.ranked))

    def request(self, message: str, *, page: str = "/", context: str = "", turn_id: UUID | None = None) -> TurnRequest:
        return TurnRequest(turn_id or uuid4(), message, f"{SITE}{page}", context)

    async def ask(self, message: str, *, page: str = "/", context: str = "") -> list[TurnEvent]:
        request = self.request(message, page=page, context=context)
        self.sent.append(request)
        live = await self.turns.ask(self.session, request)
        return [numbered.event async for numbered in live.events()]


@asynccontextmanager
async def answering_house(
    folder: Path,
    *,
    model: ChatModel | None = None,
    writers: tuple[AnswerWriter, ...] | None = None,
    config: AgentConfig | None = None,
    max_running: int = 10,
    max_searching: int = 10,
    shared: SharedTurns | None = None,
    checks_answers: bool = False,
    shop: HttpCaller | None = None,
) -> AsyncIterator[AnsweringHouse]:
    """With PAGES learnt and the agent published. Without `model` answers are extractive. With a `shop` its host may be
    called by actions."""
    clock = FixedClock()
    model = model and BudgetedChatModel(model)
    async with temporary_record(folder, clock) as record, AsyncExitStack() as running:
        embedder, vectors, keywords = HashingEmbedder(), MemoryVectorIndex(), MemoryKeywordIndex()
        reranker, cache = OverlapReranker(), DictCache()
        with record.writing() as tx:
            workspace_id = TokenRecords(tx).default_workspace()
            agent = AgentRecords(tx).create(workspace_id, config or AgentConfig(name="Lamp helper"))
            AgentRecords(tx).publish(workspace_id, agent.id)
            source = SourceRecords(tx).create(agent.id, SourceConfig(SourceKind.SITE, "Lamps", f"{SITE}/"))
        search = SearchParts(record, embedder, TOKENS, vectors, keywords, reranker, clock, model)
        retriever = search.fresh()
        languages = LanguageGuesser()
        history = History(record, cache)
        if writers is None:
            writers = answer_writers(model, PassageJudge(embedder, keywords), TOKENS)
        tools = TurnTools(
            records=record,
            indexes=IndexWatch(record, vectors, keywords),
            pipeline=AnswerPipeline(
                record,
                CuratedMatcher(record, PatternMatcher(), embedder),
                writers,
                languages,
                clock,
                embedder if checks_answers else None,
                ActionCalls(record, shop, CountingRateLimiter(), ActionHosts((SHOP_HOST,))) if shop else None,
            ),
            retriever=search.for_turns(cache),
            completer=StitchingContextualizer(),
            history=history,
            next_questions=NextQuestionFinder(record, search.candidate_finder(), keywords, written_questions),
        )
        turns = await running.enter_async_context(
            Turns(tools, "test-process", shared or alone(), max_running, max_searching)
        )
        conversations = Conversations(record, history)
        live = await record.read(lambda tx: AgentRecords(tx).live(agent.id))
        opened = await conversations.open(live, None)
        house = AnsweringHouse(
            record, clock, embedder, vectors, keywords, reranker, cache,
            retriever, search.for_operators(cache, languages), tools, turns, conversations,
            agent.id, source.id, workspace_id, opened.session,
        )  # fmt: skip
        for path, markdown in PAGES.items():
            await house.learn(path, markdown)
        yield house
        await turns.drain(5)


def alone() -> SharedTurns:
    """For a process that shares nothing with others."""
    return SharedTurns(UnsharedTurnLog(), MemoryTurnOrders())
