"""The system of record, both indexes and the models, on which everything else is built."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

import anyio

from app.answers.curated.records import CuratedAnswerRecords
from app.bootstrap.adapters import (
    configured_cache,
    configured_file_bodies,
    configured_keyword_index,
    configured_rate_limiter,
    configured_redis,
    configured_secret_keys,
    configured_stream_slots,
    configured_vector_index,
    configured_vector_search,
)
from app.bootstrap.features import installed_features
from app.bootstrap.models import (
    configured_embedder,
    configured_question_embedder,
    configured_reranker,
    configured_token_embedder,
)
from app.bootstrap.tracing import traces
from app.conversations.records.gap_counting import GapCounting
from app.core.errors import DatabaseAway, Misconfigured
from app.core.turn import Finish, TurnEnd, TurnState
from app.feature import Features
from app.gaps.records.stopped_turns import StoppedTurnRecords
from app.kit.clock import Clock, SystemClock
from app.kit.private_files import private_files
from app.kit.tasks import Supervisor
from app.kit.wiring import Part
from app.settings import SQLITE_FILE, Settings
from app.store.engine import open_engine, shown_url
from app.store.migrate import all_migrations, migrate, missing_migrations
from app.store.outbox import Outbox
from app.store.row_security import settle_role
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction, TurnEndListener, TurnIds
from app.workspaces.sealed_secrets import SealedSecrets

Chosen = TypeVar("Chosen")


def announce_end(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    """Enqueue the turn's events for webhooks."""
    Outbox(tx).announce(turn, f"turn.{end.state.value}")


def count_curated_hit(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    if end.curated_answer_id is not None:
        CuratedAnswerRecords(tx).count_hit(turn.agent_id, end.curated_answer_id)


def remember_stop(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    """Remember a stopped answer, for a worker to compare with the visitor's next question."""
    if end.finish is Finish.STOPPED and end.state is TurnState.DONE:
        StoppedTurnRecords(tx).remember(turn.id)


def see_gap(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    if end.gap is not None:
        GapCounting(tx).see(turn, end.gap)


def turn_end_listeners(features: Features) -> list[TurnEndListener]:
    """The consequences of a turn's end, in the transaction that stores it: the core's, then the features'."""
    return [announce_end, count_curated_hit, remember_stop, see_gap, *features.on_turn_end]


class Doubles(dict[Any, object]):
    """Replacements for parts in tests, by the types that constructors name. All other parts are those of production."""

    def or_else(self, kind: TypeForm[Part], chosen: Callable[[], Chosen]) -> Part | Chosen:
        return cast(Part, self[kind]) if kind in self else chosen()

    async def or_opened(
        self, kind: TypeForm[Part], closing: AsyncExitStack, opened: Callable[[], AbstractAsyncContextManager[Part]]
    ) -> Part:
        """The double of this type, which the test closes, or the part that `opened` opens and `closing` closes."""
        return cast(Part, self[kind]) if kind in self else await closing.enter_async_context(opened())


NO_DOUBLES = Doubles()


if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from sqlalchemy import Engine
    from typing_extensions import TypeForm

    from app.kit.cache import Cache
    from app.kit.limits import RateLimiter, StreamSlots
    from app.kit.meters import CircuitMeter
    from app.providers.embedding.embedder import Embedder, RememberingEmbedder, TokenEmbedder
    from app.providers.indexes.search_indexes import KeywordIndex, VectorIndex, VectorSearch
    from app.providers.reranking.reranker import Reranker
    from app.providers.token_counter import TextSplitter, TokenCounter
    from app.sources.files.file_bodies import FileBodies


@dataclass(frozen=True, slots=True)
class Stored:
    """The parts that commands need to read and change the record."""

    settings: Settings
    clock: Clock
    record: SystemOfRecord


@dataclass(frozen=True, slots=True)
class Models:
    """The embedder and reranker, with the counter and splitter of their tokens. `questions` is the embedder for callers
    who wait for an answer; `token_embedder` is the embedder if it returns a vector per token. A reranker that is not
    shipped votes unless the agent's settings say otherwise."""

    embedder: Embedder
    questions: RememberingEmbedder
    tokens: TokenCounter
    splitter: TextSplitter
    reranker: Reranker
    is_reranker_shipped: bool
    token_embedder: TokenEmbedder | None = None


@dataclass(frozen=True, slots=True)
class Indexes:
    """The indexes, which are derived from the record. `questions` is the vector search for callers who wait for an
    answer."""

    vectors: VectorIndex
    questions: VectorSearch
    keywords: KeywordIndex


@dataclass(frozen=True, slots=True)
class Shared:
    """The parts that all web processes share through Redis. Without Redis, each process has its own."""

    cache: Cache
    rate_limiter: RateLimiter
    stream_slots: StreamSlots


@dataclass(frozen=True, slots=True)
class Infrastructure(Stored):
    """The parts on which every room is built. `process` is the id of this run of the process in the system of record,
    `features` are its features, and `doubles` replace parts of the rooms above."""

    metrics: CollectorRegistry
    supervisor: Supervisor
    circuits: CircuitMeter
    process: str
    shared: Shared
    models: Models
    indexes: Indexes
    files: FileBodies
    features: Features
    doubles: Doubles


@asynccontextmanager
async def open_record(settings: Settings, features: Features | None = None) -> AsyncIterator[SystemOfRecord]:
    """Migrate and open the record, without checking that its secrets can be opened."""
    with private_files(settings.data):
        secret_keys = configured_secret_keys(settings)
        engine = open_engine(settings.record_url)
        try:
            with _named_by_setting(engine):
                await anyio.to_thread.run_sync(migrate, engine)
                await anyio.to_thread.run_sync(settle_role, engine, settings.database_role)
            listeners = turn_end_listeners(features or installed_features())
            yield SystemOfRecord(engine, SystemClock(), secret_keys, listeners, settings.database_role)
        finally:
            engine.dispose()


async def pending_migrations(settings: Settings) -> list[str]:
    """The migrations that the next start would run, in order. Changes nothing. Raises Misconfigured and Unavailable."""
    if not settings.database_url and not (settings.data / SQLITE_FILE).exists():
        return all_migrations()
    engine = open_engine(settings.record_url)
    try:
        with _named_by_setting(engine):
            return await anyio.to_thread.run_sync(missing_migrations, engine)
    finally:
        engine.dispose()


@contextmanager
def _named_by_setting(engine: Engine) -> Iterator[None]:
    """Turn errors of a database that cannot be reached into Misconfigured."""
    try:
        yield
    except DatabaseAway as error:
        if engine.url.get_backend_name() == "sqlite":
            raise Misconfigured(
                f"DOCENT_DATA: the database {engine.url.database} cannot be opened for writing; see whose file it is."
            ) from error
        raise Misconfigured(
            f"DOCENT_DATABASE_URL: no database answers as {shown_url(engine)}; "
            "start it, or correct the address and the password."
        ) from error


@asynccontextmanager
async def _open_sealed(settings: Settings, features: Features | None = None) -> AsyncIterator[SystemOfRecord]:
    """Open the record, check that its secrets can be opened, and seal those that are not."""
    async with open_record(settings, features) as record:
        await SealedSecrets(record).settle()
        yield record


@asynccontextmanager
async def open_stored(settings: Settings) -> AsyncIterator[Stored]:
    """Open only the record."""
    async with _open_sealed(settings) as record:
        yield Stored(settings, SystemClock(), record)


@asynccontextmanager
async def open_infrastructure(settings: Settings, doubles: Doubles = NO_DOUBLES) -> AsyncIterator[Infrastructure]:
    """Migrate and open everything that is stored; models are loaded on first use."""
    from prometheus_client import CollectorRegistry

    from app.kit.cache import Cache
    from app.kit.limits import RateLimiter, StreamSlots
    from app.kit.meters import CircuitMeter, background_failures
    from app.providers.embedding.embedder import Embedder
    from app.providers.indexes.search_indexes import KeywordIndex, VectorIndex
    from app.providers.onnx_threads import EMBEDDER_FOLDER, OnnxThreads
    from app.providers.reranking.reranker import Reranker
    from app.providers.token_counter import MarkdownTextSplitter, TextSplitter, TokenizersTokenCounter
    from app.sources.files.file_bodies import FileBodies
    from app.store.processes import process_metrics

    process = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
    async with AsyncExitStack() as closing:
        await closing.enter_async_context(traces(settings, process))
        features = doubles.or_else(Features, installed_features)
        record = await doubles.or_opened(SystemOfRecord, closing, lambda: _open_sealed(settings, features))
        metrics = doubles.or_else(CollectorRegistry, lambda: process_metrics(record.engine))
        circuits = CircuitMeter(metrics)
        threads = OnnxThreads(threads=settings.threads)
        closing.push_async_callback(threads.close)
        embedder = doubles.or_else(Embedder, lambda: configured_embedder(settings, threads, closing))
        tokens = doubles.or_else(TokenizersTokenCounter, lambda: TokenizersTokenCounter(EMBEDDER_FOLDER))
        redis = configured_redis(settings, circuits, closing)
        vectors = doubles.or_else(VectorIndex, lambda: configured_vector_index(settings, embedder, record, closing))
        yield Infrastructure(
            settings=settings,
            metrics=metrics,
            supervisor=Supervisor(background_failures(metrics)),
            circuits=circuits,
            process=process,
            clock=doubles.or_else(Clock, SystemClock),
            record=record,
            shared=Shared(
                doubles.or_else(Cache, lambda: configured_cache(redis)),
                doubles.or_else(RateLimiter, lambda: configured_rate_limiter(redis)),
                doubles.or_else(StreamSlots, lambda: configured_stream_slots(redis)),
            ),
            models=Models(
                embedder,
                configured_question_embedder(settings, embedder, circuits),
                tokens,
                doubles.or_else(TextSplitter, lambda: MarkdownTextSplitter(tokens)),
                doubles.or_else(Reranker, lambda: configured_reranker(settings, threads, circuits, closing)),
                is_reranker_shipped=not (settings.rerank_url or settings.rerank_folder),
                token_embedder=configured_token_embedder(embedder),
            ),
            indexes=Indexes(
                vectors,
                configured_vector_search(settings, vectors, circuits),
                doubles.or_else(KeywordIndex, lambda: configured_keyword_index(settings, tokens, record, closing)),
            ),
            files=doubles.or_else(FileBodies, lambda: configured_file_bodies(settings)),
            features=features,
            doubles=doubles,
        )


@asynccontextmanager
async def following_keywords(base: Infrastructure) -> AsyncIterator[None]:
    """For long-running processes: keep this machine's own keyword index up to date even if nobody searches."""
    from app.kit.tasks import PeriodicTask
    from app.knowledge.followed_keyword_index import FollowedKeywordIndex

    if not isinstance(base.indexes.keywords, FollowedKeywordIndex):
        yield
        return
    async with PeriodicTask("keywords", base.indexes.keywords.sweep, pause_seconds=60, supervisor=base.supervisor):
        yield
