"""Visitors who leave at any await: nobody gets what is another's, and no connection is lost."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
import redis
from sqlalchemy import Engine, select
from sqlalchemy.pool import QueuePool

from app.agents.agent import Agent, AgentConfig
from app.agents.records import AgentRecords
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.turns import TurnRecords
from app.core.turn import Channel, VisitorSession
from app.kit.circuit_breaker import CircuitBreaker
from app.kit.limits import Limit
from app.kit.shared_redis import LimitsRateLimiter, RedisCache, RedisStreamSlots, RedisWithBreaker, redis_client
from app.store.engine import POSTGRES_CONNECTIONS, is_sqlite, open_engine
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import MESSAGES, TURNS
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.cancelled_at import CancelledAt
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.postgres_server import PostgresServer
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.temporary_record import temporary_database
from tests.doubles.turn_end_listeners import TURN_END_LISTENERS
from tests.scale.redis_server import RedisServer, running_redis
from tests.store.sample_rows import OWNER, a_turn, an_end

VISITORS = 400  # on the record some thirty leave at each await
AT_ONCE = 64
CONNECTIONS = 16  # to Redis
SEED = 8
MANY = Limit(1000, 60)

Visit = Callable[[int], Coroutine[Any, Any, None]]


async def come_and_go(visit: Visit, longest: int) -> tuple[int, int]:
    """Each visitor is cancelled at an await of theirs, 1..`longest`, or ends well before; return how many ended and
    how many were cancelled. What a visitor sees of another fails the visit, and so the test."""
    luck, slots = random.Random(SEED), asyncio.Semaphore(AT_ONCE)

    async def one(number: int, leaving: int) -> bool:
        async with slots:
            try:
                await asyncio.create_task(_awaited(CancelledAt(visit(number), leaving)))
            except asyncio.CancelledError:
                return False
            return True

    ended = sum(await asyncio.gather(*(one(number, luck.randint(1, longest)) for number in range(VISITORS))))
    assert VISITORS / 20 < ended < VISITORS * 19 / 20, "some of both, or the test shows nothing"
    return ended, VISITORS - ended


async def _awaited(visitor: Awaitable[None]) -> None:
    await visitor


# Redis


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    with running_redis() as running:
        yield running


@pytest.fixture
async def shared(redis_server: RedisServer) -> AsyncIterator[RedisWithBreaker]:
    """Its calls end when the visitor leaves and not before: how busy this machine is does not matter."""
    client = redis_client(redis_server.url, seconds=300, connections=CONNECTIONS)
    redis = RedisWithBreaker(client, CircuitBreaker("redis"), call_seconds=300)
    yield redis
    await redis.close()


async def test_on_redis_nobody_gets_anothers_reply_and_no_connection_is_lost(
    shared: RedisWithBreaker, redis_server: RedisServer
) -> None:
    cache, slots, limiter = RedisCache(shared), RedisStreamSlots(shared), LimitsRateLimiter(shared)

    async def visit(number: int) -> None:
        """What a turn asks of Redis, with values that say whose they are."""
        visitor, tag = UUID(int=number), f"value of visitor {number}".encode()
        await limiter.hit(MANY, "questions", str(visitor))
        await slots.acquire(visitor, visitor, 2)
        assert await cache.get(f"history:{number}") in (None, tag)
        await cache.set(f"history:{number}", tag, ttl_seconds=600)
        assert await cache.get(f"history:{number}") == tag
        await slots.release(visitor, visitor)

    await come_and_go(visit, longest=20)

    pool: Any = shared.client.connection_pool
    assert len(pool._in_use_connections) == 0
    await asyncio.gather(*(visit(number) for number in range(CONNECTIONS)))
    with redis.Redis.from_url(redis_server.url) as other:
        clients: Any = other.client_list()
        assert len(clients) <= CONNECTIONS + 1, "no connection stays open that the pool does not know"
        keys: Any = list(other.scan_iter("docent:history:*"))
        assert len(keys) > VISITORS / 20
        for key in keys:
            assert other.get(key) == b"value of visitor " + key.rpartition(b":")[2]


# The record


@pytest.fixture(params=["sqlite", "postgres"])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Engine]:
    if request.param == "sqlite":
        opened = open_engine(await temporary_database(tmp_path))
    else:
        postgres: PostgresServer = request.getfixturevalue("server")
        opened = open_engine(postgres.migrated_database())
    yield opened
    opened.dispose()


async def test_nobody_reads_anothers_turn_and_no_connection_to_the_record_is_lost(engine: Engine) -> None:
    record = SystemOfRecord(engine, FixedClock(), TEST_KEYS, TURN_END_LISTENERS)
    with record.writing() as tx:
        agent = AgentRecords(tx).create(TokenRecords(tx).default_workspace(), AgentConfig(name="Ada"))

    async def visit(number: int) -> None:
        """A question and its answer that say whose they are, and what the record gives back of them."""
        told = [f"question of visitor {number}", f"answer of visitor {number}"]
        assert await a_whole_turn(record, agent, *told) == told

    await come_and_go(visit, longest=12)

    assert cast(QueuePool, engine.pool).checkedout() == 0
    if not is_sqlite(engine):
        assert sessions(engine) <= POSTGRES_CONNECTIONS, "none stays open that the pool does not know"
    await every_turn_is_whole_or_absent(engine)
    await visit(VISITORS)


def sessions(engine: Engine) -> int:
    """As the server counts them, the asker's among them."""
    with engine.connect() as connection:
        count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        return int(connection.exec_driver_sql(count).scalar_one())


async def a_whole_turn(record: SystemOfRecord, agent: Agent, question: str, answer: str) -> list[str]:
    """Of a new visitor; return the texts of their conversation."""
    with record.writing() as tx:
        visitor = ConversationRecords(tx).visitor(agent.id, uuid4())
        conversation = ConversationRecords(tx).start(visitor, Channel.WIDGET)
        turn = a_turn(question)
        session = VisitorSession(agent.workspace_id, agent.id, visitor.id, conversation.id)
        TurnRecords(tx).begin(session, turn, 1, OWNER)
    await record.write(lambda tx: TurnRecords(tx).finish(turn.turn_id, an_end(answer)))
    return await record.read(
        lambda tx: [message.text for message in ConversationRecords(tx).messages(conversation.id, 30)]
    )


async def every_turn_is_whole_or_absent(engine: Engine) -> None:
    """Each turn that there is has its own question, and its own answer or none."""
    with engine.connect() as connection:
        rows = connection.execute(select(MESSAGES.c.turn_id, MESSAGES.c.text)).all()
        turns = set(connection.scalars(select(TURNS.c.id)).all())
    texts: dict[UUID, list[str]] = {}
    for turn_id, text in rows:
        texts.setdefault(turn_id, []).append(text)
    assert set(texts) == turns
    for told in texts.values():
        assert len({text.partition(" of ")[2] for text in told}) == 1, told
