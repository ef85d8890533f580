"""The answering room over a real SQLite record, with small doubles for indexes and models."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from prometheus_client import CollectorRegistry

from app.agents.agent import AgentConfig, AnswerCheck, LiveAgent
from app.agents.records import AgentRecords
from app.answers.query_contextualizer import QueryContextualizer, StitchingContextualizer
from app.answers.token_meter import BudgetedChatModel
from app.bootstrap.answering import Answering, open_answering, search_parts
from app.bootstrap.infrastructure import NO_DOUBLES, Doubles, Infrastructure, open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.conversations.conversations import Conversations
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.search_filter import SearchFilter
from app.core.turn import StoredTurn, TurnRequest, VisitorSession
from app.core.turn_events import TurnEvent
from app.kit.cache import Cache
from app.kit.clock import Clock
from app.kit.limits import RateLimiter
from app.knowledge.document import PageContent
from app.knowledge.ingest import Ingest
from app.providers.chat.chat_model import ChatModel, NamedChatModels
from app.providers.embedding.embedder import Embedder
from app.providers.http_caller import HttpCaller
from app.providers.indexes.search_indexes import KeywordIndex, VectorIndex
from app.providers.onnx_threads import EMBEDDER_FOLDER
from app.providers.reranking.reranker import Reranker
from app.providers.token_counter import TokenizersTokenCounter
from app.search.agent_search import AgentSearch
from app.search.retrieval import SearchQuery
from app.search.retriever import Retriever
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from app.store.system_of_record import SystemOfRecord
from app.turns.heartbeat import Heartbeat
from app.turns.remote.remote_turns import SharedTurns
from app.turns.remote.turn_log import MemoryTurnOrders, UnsharedTurnLog
from app.turns.turns import Turns
from app.workspaces.records.tokens import TokenRecords
from crawler.address_policy import Endpoint
from tests.doubles.counting_rate_limiter import CountingRateLimiter
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_cache import DictCache
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.doubles.memory_vector_index import MemoryVectorIndex
from tests.doubles.overlap_reranker import OverlapReranker
from tests.doubles.settings_in import settings_in
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

    base: Infrastructure
    answering: Answering
    ingest: Ingest
    clock: FixedClock
    embedder: HashingEmbedder
    vectors: MemoryVectorIndex
    keywords: MemoryKeywordIndex
    reranker: OverlapReranker
    cache: DictCache
    retriever: Retriever
    conversations: Conversations
    agent_id: UUID
    source_id: UUID
    workspace_id: UUID
    session: VisitorSession
    sent: list[TurnRequest] = field(default_factory=list)

    @property
    def record(self) -> SystemOfRecord:
        return self.base.record

    @property
    def search(self) -> AgentSearch:
        return self.answering.search

    @property
    def turns(self) -> Turns:
        return self.answering.turns

    async def stored_turn(self) -> StoredTurn:
        """The latest turn that was asked."""
        turn = await self.record.read(lambda tx: StoredTurnRecords(tx).find(self.sent[-1].turn_id))
        assert turn is not None
        return turn

    @asynccontextmanager
    async def another_process(self, name: str, doubles: Mapping[Any, object] = NO_DOUBLES) -> AsyncIterator[Turns]:
        """Over the same record."""
        async with open_answering(replace(self.with_doubles(doubles), process=name)) as answering:
            yield answering.turns

    def with_doubles(self, doubles: Mapping[Any, object]) -> Infrastructure:
        """The same with others among them."""
        doubles = Doubles({**self.base.doubles, **doubles})
        return replace(self.base, metrics=CollectorRegistry(), doubles=doubles)

    async def learn(
        self, path: str, markdown: str, *, language: str = "en", modified: date | None = None, **attributes: str
    ) -> None:
        """`attributes` have one value each."""
        title = markdown.splitlines()[0].removeprefix("# ")
        page = PageContent(f"{SITE}{path}", title, markdown, site="lamps.example", language=language, modified=modified)
        page = replace(page, attributes={name: (value,) for name, value in attributes.items()})
        await self.ingest.learn(self.agent_id, self.source_id, page)

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
    config: AgentConfig | None = None,
    max_running: int = 10,
    max_searching: int = 10,
    shared: SharedTurns | None = None,
    checks_answers: bool = False,
    shop: HttpCaller | None = None,
    workspace_daily_tokens: int | None = None,
    others: Mapping[str, ChatModel] | None = None,
    allowed: Endpoint | None = None,
) -> AsyncIterator[AnsweringHouse]:
    """With PAGES learnt and the agent published. Without `model` answers are extractive. With a `shop` its host may be
    called by actions; the endpoint that is `allowed` by models of workspaces."""
    clock = FixedClock()
    config = config or AgentConfig(name="Lamp helper")
    if not checks_answers:
        config = replace(config, answer_check=AnswerCheck.OFF)
    settings = settings_in(
        folder,
        max_turns=max_running,
        max_searches=max_searching,
        action_hosts=(SHOP_HOST,) if shop else (),
        workspace_daily_tokens=workspace_daily_tokens,
        crawl_allow=(allowed,) if allowed else (),
    )
    async with temporary_record(folder, clock) as record, AsyncExitStack() as running:
        with record.writing() as tx:
            workspace_id = TokenRecords(tx).default_workspace()
            agent = AgentRecords(tx).create(workspace_id, config)
            AgentRecords(tx).publish(workspace_id, agent.id)
            source = SourceRecords(tx).create(agent.id, SourceConfig(kinds.SITE, "Lamps", f"{SITE}/"))
        embedder, vectors, keywords = HashingEmbedder(), MemoryVectorIndex(), MemoryKeywordIndex()
        reranker, cache = OverlapReranker(), DictCache()
        doubles = Doubles(
            {
                SystemOfRecord: record,
                Clock: clock,
                Embedder: embedder,
                VectorIndex: vectors,
                KeywordIndex: keywords,
                Reranker: reranker,
                TokenizersTokenCounter: TOKENS,
                Cache: cache,
                RateLimiter: CountingRateLimiter(),
                ChatModel: model,
                NamedChatModels: NamedChatModels(others or {}),
                QueryContextualizer: StitchingContextualizer(),
                SharedTurns: shared or alone(),
                Heartbeat: None,  # tests beat, or are silent
            }
        )
        if shop:
            doubles[HttpCaller] = shop
        base = await running.enter_async_context(open_infrastructure(settings, doubles))
        base = replace(base, process="test-process")
        ingest = (await running.enter_async_context(open_knowledge(base))).ingest
        answering = await running.enter_async_context(open_answering(base))
        conversations = Conversations(record, answering.history)
        live = await record.read(lambda tx: AgentRecords(tx).live(agent.id))
        opened = await conversations.open(live, None)
        house = AnsweringHouse(
            base, answering, ingest, clock, embedder, vectors, keywords, reranker, cache,
            search_parts(base, model and BudgetedChatModel(model)).fresh(), conversations,
            agent.id, source.id, workspace_id, opened.session,
        )  # fmt: skip
        for path, markdown in PAGES.items():
            await house.learn(path, markdown)
        yield house
        await house.turns.drain(5)


def alone() -> SharedTurns:
    """For a process that shares nothing with others."""
    return SharedTurns(UnsharedTurnLog(), MemoryTurnOrders())
