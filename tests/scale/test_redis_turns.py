"""The turn log and the orders between processes on a real Redis, and while it is away."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from uuid import uuid4

import pytest
import redis

from app.core.errors import Unavailable
from app.kit.circuit_breaker import CircuitBreaker
from app.kit.limits import LEASE_SECONDS
from app.kit.shared_redis import BlockingRedis, RedisStreamSlots, RedisWithBreaker, redis_client
from app.turns.remote.redis_turn_log import RedisTurnLog, RedisTurnOrders
from app.turns.remote.remote_turns import SharedTurns
from app.turns.remote.turn_log import KEPT_SECONDS, EventBatch, TurnOrder
from tests.contracts.shared_turns_contract import SharedTurnsContract
from tests.contracts.stream_slots_contract import StreamSlotsContract
from tests.contracts.turn_log_contract import LONG, SOON, TurnLogContract, a_head, a_whole_turn
from tests.contracts.turn_orders_contract import TurnOrdersContract
from tests.scale.redis_server import RedisServer, running_redis


@pytest.fixture(scope="module")
def running() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture
def server(running: RedisServer) -> RedisServer:
    running.empty()
    return running


async def connect(patient: BlockingRedis, connections: int) -> None:
    """Each task takes a connection of its own. A test that cancels a call while the library connects would leak it."""
    for client in (patient.client, patient.waiting):
        await asyncio.gather(*(client.xlen("nothing") for _ in range(connections)))


@pytest.fixture
async def patient(server: RedisServer) -> AsyncIterator[BlockingRedis]:
    patient = BlockingRedis(server.url, CircuitBreaker("turns", cool_down_seconds=0.01))
    await connect(patient, 10)
    yield patient
    await patient.close()


@pytest.fixture
def log(patient: BlockingRedis) -> RedisTurnLog:
    return RedisTurnLog(patient)


@pytest.fixture
def orders(patient: BlockingRedis) -> RedisTurnOrders:
    return RedisTurnOrders(patient)


class TestRedisTurnLog(TurnLogContract): ...


class TestRedisTurnOrders(TurnOrdersContract): ...


async def test_a_turn_leaves_redis_ten_minutes_after_its_end_and_an_abandoned_one_in_an_hour(
    log: RedisTurnLog, server: RedisServer
) -> None:
    ended, running = a_head(), a_head()
    await log.append([EventBatch(ended, a_whole_turn(ended)), EventBatch(running, a_whole_turn(running)[:2])])
    with redis.Redis.from_url(server.url) as client:
        assert KEPT_SECONDS - 5 < client.ttl(f"docent:turn:{ended.turn_id}") <= KEPT_SECONDS
        assert KEPT_SECONDS < client.ttl(f"docent:turn:{running.turn_id}") <= 3600


async def test_what_this_process_is_late_itself_is_not_counted_against_redis(server: RedisServer) -> None:
    seconds = 0.04
    hurried = BlockingRedis(server.url, CircuitBreaker("turns"), call_seconds=seconds)
    await connect(hurried, 1)
    log, head = RedisTurnLog(hurried), a_head()
    whole = a_whole_turn(head)

    def hold_up() -> None:
        time.sleep(2 * seconds)

    async def keep_the_loop_busy() -> None:
        while True:
            hold_up()
            await asyncio.sleep(0)

    busy = asyncio.create_task(keep_the_loop_busy())
    try:
        await log.append([EventBatch(head, whole)])
        assert await log.head(head.turn_id) == head
        assert await log.read(head.turn_id, 0, SOON) == whole
    finally:
        busy.cancel()
        await hurried.close()


async def test_a_redis_that_hangs_is_away(server: RedisServer) -> None:
    hurried = BlockingRedis(server.url, CircuitBreaker("turns"), call_seconds=0.04)
    await connect(hurried, 1)
    log = RedisTurnLog(hurried)
    with server.hanging():
        with pytest.raises(Unavailable):
            await log.head(uuid4())
        with pytest.raises(Unavailable):
            await log.read(uuid4(), 0, SOON)
    await hurried.close()


async def test_readers_that_wait_hold_up_nobody_else(log: RedisTurnLog, patient: BlockingRedis) -> None:
    await connect(patient, 101)
    head = a_head()
    waiting = [asyncio.create_task(log.read(uuid4(), 0, 60)) for _ in range(100)]
    await asyncio.sleep(SOON)
    await log.append([EventBatch(head, a_whole_turn(head))])
    assert await log.head(head.turn_id) == head
    assert len(await log.read(head.turn_id, 0, LONG)) == 5
    assert not any(each.done() for each in waiting)
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_a_redis_that_came_back_empty_asks_for_the_turn_from_its_beginning(
    log: RedisTurnLog, server: RedisServer
) -> None:
    head = a_head()
    whole = a_whole_turn(head)
    await log.append([EventBatch(head, whole[:2])])
    server.stop()
    try:
        with pytest.raises(Unavailable):
            await log.append([EventBatch(head, whole[2:3])])
        with pytest.raises(Unavailable):
            await log.read(head.turn_id, 0, SOON)
    finally:
        server.start()
    assert await log.append([EventBatch(head, whole[2:3])]) == [head.turn_id]
    await log.append([EventBatch(head, whole[:3])])
    assert await log.read(head.turn_id, 0, SOON) == whole[:3]


async def test_a_full_redis_is_away_for_new_events_only(log: RedisTurnLog, server: RedisServer) -> None:
    head = a_head()
    whole = a_whole_turn(head)
    await log.append([EventBatch(head, whole[:2])])
    with redis.Redis.from_url(server.url) as client:
        client.config_set("maxmemory", "1mb")
        try:
            for _ in range(5):
                with pytest.raises(Unavailable):
                    await log.append([EventBatch(head, whole[2:])])
            assert await log.read(head.turn_id, 0, SOON) == whole[:2]
        finally:
            client.config_set("maxmemory", "0")
    await log.append([EventBatch(head, whole[2:])])
    assert await log.read(head.turn_id, 0, SOON) == whole


async def test_events_that_redis_lost_in_between_are_not_passed_over(log: RedisTurnLog, server: RedisServer) -> None:
    head = a_head()
    whole = a_whole_turn(head)
    for each in whole:
        await log.append([EventBatch(head, [each])])
    with redis.Redis.from_url(server.url) as client:
        client.xdel(f"docent:turn:{head.turn_id}", "3-0")
    with pytest.raises(Unavailable):
        await log.read(head.turn_id, 0, SOON)
    assert await log.read(head.turn_id, 3, SOON) == whole[3:]


async def test_orders_are_heard_again_when_redis_is_back(orders: RedisTurnOrders, server: RedisServer) -> None:
    sent = TurnOrder("stop", (uuid4(),), "here")
    async with aclosing(orders.received()) as listener:
        hearing = asyncio.create_task(anext(listener))
        await asyncio.sleep(SOON)
        server.stop()
        try:
            with pytest.raises(Unavailable):
                await orders.send(sent)
        finally:
            server.start()
        while not hearing.done():  # whoever listens has to find back first
            await orders.send(sent)
            await asyncio.sleep(0.1)
        assert await hearing == sent


class TestRedisStreamSlots(StreamSlotsContract):
    @pytest.fixture
    async def slots(self, server: RedisServer) -> AsyncIterator[RedisStreamSlots]:
        redis = RedisWithBreaker(redis_client(server.url), CircuitBreaker("redis"), call_seconds=5)
        yield RedisStreamSlots(redis)
        await redis.close()

    async def test_a_slot_that_nobody_renews_runs_out(self, slots: RedisStreamSlots, server: RedisServer) -> None:
        visitor, slot = uuid4(), uuid4()
        await slots.acquire(visitor, slot, 1)
        with redis.Redis.from_url(server.url) as client:
            key = f"docent:streams:{visitor}"
            assert 0 < client.ttl(key) <= LEASE_SECONDS
            assert abs(client.zscore(key, str(slot)) - client.time()[0] - LEASE_SECONDS) <= 1
            client.zadd(key, {str(slot): client.time()[0]})
        await slots.acquire(visitor, uuid4(), 1)


class TestRedisSharedTurns(SharedTurnsContract):
    @pytest.fixture
    def shared(self, log: RedisTurnLog, orders: RedisTurnOrders) -> SharedTurns:
        return SharedTurns(log, orders)
