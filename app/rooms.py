"""The rooms of the house, each opened on what stands below it and closed in reverse order:

    foundation   the system of record, both indexes, the models        every command
    answering    search, writers,    turns, conversations              serve, ask, search
    knowledge    reading sources, ingest, reconcile, reindex           work, crawl, reindex

Each imports what it opens when it is opened, for a command that opens less is to start sooner.

Nothing outside this file, `main.py` and `configured_adapters.py` picks an adapter, and nothing connects before its
context is entered.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.adapters.private_files import private_files
from app.adapters.system_clock import SystemClock
from app.configured_adapters import (
    configured_cache,
    configured_chat_model,
    configured_chunk_limits,
    configured_context_writer,
    configured_embedder,
    configured_helper_model,
    configured_model_places,
    configured_question_embedder,
    configured_rate_limiter,
    configured_redis,
    configured_reranker,
    configured_secret_keys,
    configured_shared_turns,
    configured_stream_places,
)
from app.domain.errors import DatabaseAway, Misconfigured
from app.kit.supervisor import Supervisor
from app.operating.sealed_secrets import SealedSecrets
from app.settings import SQLITE_FILE, Settings
from app.store.engine import open_engine
from app.store.migrate import all_migrations, migrate, missing_migrations
from app.store.system_of_record import SystemOfRecord
from app.store.turn_end_listeners import TURN_END_LISTENERS

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from sqlalchemy.ext.asyncio import AsyncEngine

    from app.adapters.batching_embedder import BatchingEmbedder
    from app.adapters.circuit_meter import CircuitMeter
    from app.answering.agent_search import AgentSearch
    from app.answering.answer_drafter import AnswerDrafter
    from app.answering.conversation_end import ConversationEnd
    from app.answering.conversations import Conversations
    from app.answering.curated_matcher import CuratedMatcher
    from app.answering.history import History
    from app.answering.index_watch import IndexWatch
    from app.answering.model_health import ModelHealth
    from app.answering.playground import Playground
    from app.answering.search_pipeline import SearchParts
    from app.answering.trial_answers import TrialAnswers
    from app.answering.trial_search import TrialSearch
    from app.answering.turns import Turns
    from app.knowledge.chunk_contexts import ChunkContexts
    from app.knowledge.finish_deletions import FinishDeletions
    from app.knowledge.given_chunks import GivenChunks
    from app.knowledge.ingest import Ingest
    from app.knowledge.knowledge_jobs import KnowledgeJobs
    from app.knowledge.read_source import ReadSource
    from app.knowledge.reconcile import Reconcile
    from app.knowledge.reindex import Reindex
    from app.operating.source_files import SourceFiles
    from app.ports.cache import Cache
    from app.ports.chat_model import ChatModel
    from app.ports.embedder import Embedder
    from app.ports.file_reader import FileReader
    from app.ports.keyword_index import KeywordIndex
    from app.ports.page_scope import PageScope
    from app.ports.rate_limiter import RateLimiter
    from app.ports.reranker import Reranker
    from app.ports.stream_places import StreamPlaces
    from app.ports.text_splitter import TextSplitter
    from app.ports.token_counter import TokenCounter
    from app.ports.vector_index import VectorIndex
    from app.store.system_of_record import SystemOfRecord


@dataclass(frozen=True, slots=True)
class Stored:
    """What commands that only read and change the record need."""

    settings: Settings
    clock: SystemClock
    record: SystemOfRecord


@dataclass(frozen=True, slots=True)
class Foundation(Stored):
    """What every room stands on. `process` names this start of this process in the system of record; `questions` is
    the embedder as those who wait for an answer use it."""

    metrics: CollectorRegistry
    supervisor: Supervisor
    circuits: CircuitMeter
    process: str
    cache: Cache
    rate_limiter: RateLimiter
    stream_places: StreamPlaces
    embedder: Embedder
    questions: BatchingEmbedder
    tokens: TokenCounter
    splitter: TextSplitter
    reranker: Reranker
    vectors: VectorIndex
    keywords: KeywordIndex


@dataclass(frozen=True, slots=True)
class Answering:
    search: AgentSearch
    turns: Turns
    conversations: Conversations
    conversation_end: ConversationEnd
    history: History
    curated: CuratedMatcher
    playground: Playground
    drafter: AnswerDrafter | None
    trials: TrialSearch
    model_health: ModelHealth | None
    indexes: IndexWatch


@dataclass(frozen=True, slots=True)
class Knowledge:
    jobs: KnowledgeJobs
    deletions: FinishDeletions
    read_source: ReadSource
    files: FileReader
    ingest: Ingest
    given_chunks: GivenChunks
    reconcile: Reconcile
    contexts: ChunkContexts
    reindex: Reindex


@asynccontextmanager
async def open_record(settings: Settings) -> AsyncIterator[tuple[AsyncEngine, SystemOfRecord]]:
    """Migrated; whether its secrets can be opened was not looked at."""
    with private_files(settings.data):
        secret_keys = configured_secret_keys(settings)
        engine = open_engine(settings.record_url)
        try:
            with _named_by_setting(engine):
                await migrate(engine)
            yield engine, SystemOfRecord(engine, SystemClock(), secret_keys, TURN_END_LISTENERS)
        finally:
            await engine.dispose()


async def pending_migrations(settings: Settings) -> list[str]:
    """What the next start would run, in order; nothing is changed or made. Raises Misconfigured and Unavailable."""
    if not settings.database_url and not (settings.data / SQLITE_FILE).exists():
        return all_migrations()
    engine = open_engine(settings.record_url)
    try:
        with _named_by_setting(engine):
            return await missing_migrations(engine)
    finally:
        await engine.dispose()


@contextmanager
def _named_by_setting(engine: AsyncEngine) -> Iterator[None]:
    """A database that is away as Misconfigured."""
    try:
        yield
    except DatabaseAway as error:
        if engine.url.get_backend_name() == "sqlite":
            raise Misconfigured(
                f"DOCENT_DATA: the database {engine.url.database} cannot be opened for writing; see whose file it is."
            ) from error
        raise Misconfigured(
            f"DOCENT_DATABASE_URL: no database answers as {engine.url.render_as_string(hide_password=True)}; "
            "start it, or correct address and password."
        ) from error


@asynccontextmanager
async def open_stored(settings: Settings) -> AsyncIterator[Stored]:
    """The record alone, its secrets sealed and open."""
    async with open_record(settings) as (_, record):
        await SealedSecrets(record).settle()
        yield Stored(settings, SystemClock(), record)


@asynccontextmanager
async def open_foundation(settings: Settings) -> AsyncIterator[Foundation]:
    """Migrate and open everything that is stored; models load with their first use."""
    from app.adapters.background_meter import background_failures
    from app.adapters.circuit_meter import CircuitMeter
    from app.adapters.lancedb_vector_index import LanceDBVectorIndex
    from app.adapters.markdown_text_splitter import MarkdownTextSplitter
    from app.adapters.onnx_threads import OnnxThreads
    from app.adapters.process_meter import process_metrics
    from app.adapters.shipped_weights import EMBEDDER_FOLDER
    from app.adapters.tantivy_keyword_index import TantivyKeywordIndex
    from app.adapters.tokenizers_token_counter import TokenizersTokenCounter

    async with AsyncExitStack() as closing:
        engine, record = await closing.enter_async_context(open_record(settings))
        await SealedSecrets(record).settle()
        metrics = process_metrics(engine)
        circuits = CircuitMeter(metrics)
        threads = OnnxThreads()
        closing.push_async_callback(threads.close)
        embedder = configured_embedder(settings, threads, closing)
        vectors = LanceDBVectorIndex(
            settings.vector_uri,
            model_id=embedder.model_id,
            dimensions=embedder.dimensions,
            storage_options=settings.vector_options or None,
        )
        closing.push_async_callback(vectors.close)
        keywords = TantivyKeywordIndex(settings.keyword_dir)
        closing.push_async_callback(keywords.close)
        tokens = TokenizersTokenCounter(EMBEDDER_FOLDER)
        redis = configured_redis(settings, circuits, closing)
        yield Foundation(
            settings=settings,
            metrics=metrics,
            supervisor=Supervisor(background_failures(metrics)),
            circuits=circuits,
            process=f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}",
            clock=SystemClock(),
            record=record,
            cache=configured_cache(redis),
            rate_limiter=configured_rate_limiter(redis),
            stream_places=configured_stream_places(redis),
            embedder=embedder,
            questions=configured_question_embedder(settings, embedder, circuits),
            tokens=tokens,
            splitter=MarkdownTextSplitter(tokens),
            reranker=configured_reranker(settings, threads, circuits, closing),
            vectors=vectors,
            keywords=keywords,
        )


@asynccontextmanager
async def open_search(base: Foundation) -> AsyncIterator[AgentSearch]:
    """Search alone, as operators ask it."""
    from app.adapters.langid_language_guesser import LangidLanguageGuesser

    async with AsyncExitStack() as closing:
        model = configured_chat_model(base.settings, base.circuits, closing, configured_model_places(base.settings))
        helper = configured_helper_model(base.settings, base.circuits, closing)
        yield search_parts(base, model, helper).for_operators(base.cache, LangidLanguageGuesser())


@asynccontextmanager
async def open_answering(base: Foundation) -> AsyncIterator[Answering]:
    """Running turns are ended and stored when the block is left."""
    from app.adapters.budget_meter import budget_refusals
    from app.adapters.langid_language_guesser import LangidLanguageGuesser
    from app.adapters.model_meter import unconfirmed_sentences, watch_model_health
    from app.adapters.re2_pattern_matcher import Re2PatternMatcher
    from app.answering.answer_drafter import AnswerDrafter
    from app.answering.answer_writers import answer_writers, question_completer
    from app.answering.conversation_end import ConversationEnd
    from app.answering.conversations import Conversations
    from app.answering.curated_matcher import CuratedMatcher
    from app.answering.history import History
    from app.answering.index_watch import IndexWatch
    from app.answering.liveness import Liveness
    from app.answering.model_health import ModelHealth, WatchedChatModel
    from app.answering.trial_search import TrialSearch
    from app.answering.turn_run import TurnTools
    from app.answering.turn_spending import BudgetedChatModel
    from app.answering.turns import Turns

    async with AsyncExitStack() as closing:
        places = configured_model_places(base.settings)
        model = configured_chat_model(base.settings, base.circuits, closing, places)
        health = ModelHealth(base.clock) if model else None
        if model and health:
            watch_model_health(base.metrics, health)
            model = WatchedChatModel(model, health)
        helper = configured_helper_model(base.settings, base.circuits, closing, places)
        on_refused = budget_refusals(base.metrics).inc
        model, helper = (each and BudgetedChatModel(each, on_refused) for each in (model, helper))
        search = search_parts(base, model, helper)
        languages = LangidLanguageGuesser()
        history = History(base.record, base.cache)
        indexes = IndexWatch(base.record, base.vectors, base.keywords)
        tools = TurnTools(
            records=base.record,
            indexes=indexes,
            curated=CuratedMatcher(base.record, Re2PatternMatcher(), base.questions),
            retriever=search.for_turns(base.cache),
            completer=question_completer(search.helping),
            writers=answer_writers(model, base.questions, base.keywords, base.tokens),
            history=history,
            languages=languages,
            clock=base.clock,
            queues=(base.questions, places),
            embedder=base.questions,
            on_unconfirmed=unconfirmed_sentences(base.metrics).inc,
        )
        shared = configured_shared_turns(base.settings, base.circuits, closing)
        for_operators = search.for_operators(base.cache, languages)
        playground = playground_for(base, model, helper)
        async with (
            Liveness(base.record, base.process, supervisor=base.supervisor),
            Turns(
                tools, base.process, shared, base.settings.max_turns, base.settings.max_searches, base.supervisor
            ) as turns,
        ):
            yield Answering(
                for_operators,
                turns,
                Conversations(base.record, history),
                ConversationEnd(turns, history),
                history,
                tools.curated,
                playground,
                AnswerDrafter(base.record, for_operators, model, base.tokens, base.clock) if model else None,
                TrialSearch(for_operators, playground, Re2PatternMatcher()),
                health,
                indexes,
            )


def search_parts(base: Foundation, model: ChatModel | None, helper: ChatModel | None = None) -> SearchParts:
    from app.answering.search_pipeline import SearchParts

    return SearchParts(
        base.record,
        base.questions,
        base.tokens,
        base.vectors,
        base.keywords,
        base.reranker,
        base.clock,
        model,
        helper,
        is_reranker_shipped=not (base.settings.rerank_url or base.settings.rerank_folder),
    )


def playground_for(base: Foundation, model: ChatModel | None, helper: ChatModel | None = None) -> Playground:
    from app.adapters.langid_language_guesser import LangidLanguageGuesser
    from app.adapters.re2_pattern_matcher import Re2PatternMatcher
    from app.answering.playground import playground_on

    return playground_on(search_parts(base, model, helper), Re2PatternMatcher(), base.cache, LangidLanguageGuesser())


def trials_on(base: Foundation, model: ChatModel | None, helper: ChatModel | None = None) -> TrialAnswers:
    from app.answering.trial_answers import TrialAnswers

    return TrialAnswers(playground_for(base, model, helper))


def trial_searches_on(base: Foundation, model: ChatModel | None, helper: ChatModel | None = None) -> TrialSearch:
    from app.adapters.langid_language_guesser import LangidLanguageGuesser
    from app.adapters.re2_pattern_matcher import Re2PatternMatcher
    from app.answering.trial_search import TrialSearch

    search = search_parts(base, model, helper).for_operators(base.cache, LangidLanguageGuesser())
    return TrialSearch(search, playground_for(base, model, helper), Re2PatternMatcher())


@asynccontextmanager
async def open_knowledge(base: Foundation) -> AsyncIterator[Knowledge]:
    """The side that reads websites and writes indexes."""
    from app.adapters.crawler_site_reader import CrawlerSiteReader
    from app.adapters.cronsim_calendar import CronsimCalendar
    from app.adapters.pooled_file_reader import PooledFileReader
    from app.knowledge.chunk_contexts import ChunkContexts
    from app.knowledge.chunk_indexer import ChunkIndexer
    from app.knowledge.chunker import Chunker
    from app.knowledge.context_line import ContextLine
    from app.knowledge.due_readings import DueReadings
    from app.knowledge.finish_deletions import FinishDeletions
    from app.knowledge.given_chunks import GivenChunks
    from app.knowledge.given_pages import GivenPages
    from app.knowledge.ingest import Ingest
    from app.knowledge.knowledge_jobs import KnowledgeJobs
    from app.knowledge.read_source import ReadSource
    from app.knowledge.reconcile import Reconcile
    from app.knowledge.reindex import Reindex
    from app.knowledge.retire import Retire
    from crawler.extraction_pool import ExtractionPool

    settings = base.settings
    indexer = ChunkIndexer(base.record, base.embedder, base.vectors, base.keywords)
    retire = Retire(base.record, indexer)
    limits = configured_chunk_limits(settings, base.embedder.max_tokens)
    deletions = FinishDeletions(base.record, base.vectors, base.keywords, indexer)
    async with AsyncExitStack() as closing, ExtractionPool(max_workers=2) as extractor, PooledFileReader() as files:
        writer = configured_context_writer(settings, base.circuits, closing)
        contexts = ChunkContexts(base.record, base.tokens, base.embedder.max_tokens, writer)
        ingest = Ingest(base.record, Chunker(base.splitter, base.tokens, limits), contexts, indexer, retire)
        reconcile = Reconcile(base.record, base.vectors, base.keywords, indexer, ingest)
        reader = CrawlerSiteReader(
            extractor,
            base.clock,
            settings.crawl_allow,
            user_agent=settings.crawl_user_agent,
            min_delay_seconds=settings.crawl_delay_seconds,
            browser=settings.render_browser,
        )
        try:
            given = GivenPages(base.record, files, base.clock)
            read_source = ReadSource(base.record, reader, given, ingest, retire)
            yield Knowledge(
                jobs=KnowledgeJobs(
                    read_source, DueReadings(base.record, CronsimCalendar(), base.clock), reconcile, deletions
                ),
                deletions=deletions,
                read_source=read_source,
                files=files,
                ingest=ingest,
                given_chunks=GivenChunks(base.record, indexer, ContextLine(base.tokens, limits.context_tokens)),
                reconcile=reconcile,
                contexts=contexts,
                reindex=Reindex(base.record, contexts, indexer),
            )
        finally:
            await reader.aclose()


def page_scope_on(base: Stored) -> PageScope:
    from app.adapters.crawler_page_scope import CrawlerPageScope

    return CrawlerPageScope(base.settings.crawl_allow)


def source_files_on(base: Foundation, files: FileReader) -> SourceFiles:
    from app.operating.source_files import SourceFiles

    return SourceFiles(base.record, files, base.settings.max_file_mib * 1024**2)
