"""Cache and limits on a real Redis, and while it is away."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
from redis.asyncio import Redis

from app.core.errors import RateLimited, Unavailable
from app.kit.circuit_breaker import CircuitBreaker
from app.kit.limits import FallbackRateLimiter, Limit, MemoryRateLimiter
from app.kit.shared_redis import LimitsRateLimiter, RedisCache, RedisWithBreaker, redis_client
from tests.contracts.cache_contract import CacheContract
from tests.contracts.history_contract import HistoryContract
from tests.contracts.rate_limiter_contract import WORKERS, RateLimiterContract, admitted
from tests.scale.redis_server import RedisServer, running_redis

CONNECTIONS = 16  # that a client holds at most


@pytest.fixture(scope="module")
def running() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture
def server(running: RedisServer) -> RedisServer:
    running.empty()
    return running


def guarded(server: RedisServer) -> RedisWithBreaker:
    return RedisWithBreaker(redis_client(server.url), CircuitBreaker("redis"))


class UnhurriedRedis(RedisWithBreaker):
    """Without the bound on each call: what is counted does not depend on how busy the machine is."""

    def __init__(self, server: RedisServer) -> None:
        super().__init__(redis_client(server.url, seconds=300), CircuitBreaker("redis"))

    async def call(self, command: Callable[[Redis], Awaitable[Any]]) -> Any:
        return await command(self.client)


@pytest.fixture
async def redis(server: RedisServer) -> AsyncIterator[RedisWithBreaker]:
    redis = UnhurriedRedis(server)
    yield redis
    await redis.close()


@pytest.fixture
def cache(redis: RedisWithBreaker) -> RedisCache:
    return RedisCache(redis)


@pytest.fixture
async def limiter(server: RedisServer) -> AsyncIterator[LimitsRateLimiter]:
    redis = UnhurriedRedis(server)
    yield LimitsRateLimiter(redis)
    await redis.close()


class TestRedisCache(CacheContract):
    async def let_pass(self, seconds: int) -> None:
        await asyncio.sleep(seconds + 0.1)  # Redis keeps its own time, and what ends in this millisecond is still there


class TestHistoryOnRedis(HistoryContract):
    pass


class TestLimitsRateLimiter(RateLimiterContract):
    async def let_pass(self, seconds: int) -> None:
        await asyncio.sleep(seconds + 0.1)  # Redis keeps its own time, and what ends in this millisecond is still there


async def test_many_commands_at_once_share_few_connections(cache: RedisCache, redis: RedisWithBreaker) -> None:
    await asyncio.gather(*(cache.set(f"k{number}", b"v", ttl_seconds=60) for number in range(100)))

    assert await asyncio.gather(*(cache.get(f"k{number}") for number in range(100))) == [b"v"] * 100
    assert len(await redis.client.client_list()) <= CONNECTIONS


async def test_processes_that_hit_at_once_stay_within_one_of_the_bound(server: RedisServer) -> None:
    """Each with connections of its own."""
    processes = [UnhurriedRedis(server) for _ in range(4)]
    limiters = [LimitsRateLimiter(processes[number % 4]) for number in range(WORKERS)]
    try:
        assert abs(await admitted(limiters, Limit(100, 60)) - 100) <= 1
    finally:
        for process in processes:
            await process.close()


async def test_two_processes_share_one_count(limiter: LimitsRateLimiter, server: RedisServer) -> None:
    other_process = guarded(server)
    other, twice = LimitsRateLimiter(other_process), Limit(2, 60)
    await limiter.hit(twice, "a")
    await other.hit(twice, "a")

    for either in (limiter, other):
        with pytest.raises(RateLimited):
            await either.hit(twice, "a")
    await other_process.close()


async def test_a_cache_that_goes_away_misses_and_comes_back(server: RedisServer) -> None:
    redis = guarded(server)
    cache = RedisCache(redis)
    await cache.set("key", b"value", ttl_seconds=60)
    server.stop()
    try:
        for _ in range(2):  # one less than opens the circuit
            assert await cache.get("key") is None
    finally:
        server.start()

    await cache.set("key", b"again", ttl_seconds=60)
    assert await cache.get("key") == b"again"
    await redis.close()


async def test_limits_go_on_in_the_process_while_redis_is_away(server: RedisServer) -> None:
    redis = guarded(server)
    shared = LimitsRateLimiter(redis)
    limiter, twice = FallbackRateLimiter(shared, MemoryRateLimiter()), Limit(2, 60)
    await limiter.hit(twice, "a")
    server.stop()
    try:
        with pytest.raises(Unavailable):
            await shared.hit(twice, "a")
        await limiter.hit(twice, "a")
        await limiter.hit(twice, "a")
        with pytest.raises(RateLimited):
            await limiter.hit(twice, "a")
    finally:
        server.start()
    await redis.close()


async def test_after_three_silences_redis_is_left_alone_and_then_tried_by_one_call(server: RedisServer) -> None:
    moment, asked = 0.0, 0
    redis = RedisWithBreaker(redis_client(server.url), CircuitBreaker("redis", cool_down_seconds=5, now=lambda: moment))

    async def get(client: Redis) -> None:
        nonlocal asked
        asked += 1
        await client.get("key")

    with server.hanging():
        for _ in range(50):
            with pytest.raises(Unavailable):
                await redis.call(get)
        assert asked == 3
        moment = 5
        refusals = await asyncio.gather(*(redis.call(get) for _ in range(50)), return_exceptions=True)
        assert [type(refusal) for refusal in refusals] == [Unavailable] * 50
        assert asked == 4

    moment = 10
    await redis.call(get)
    await redis.call(get)
    assert asked == 6
    await redis.close()


async def test_a_call_that_was_given_up_never_answers_the_next_one(server: RedisServer) -> None:
    redis = guarded(server)
    cache = RedisCache(redis)
    for number in range(3):
        await cache.set(f"k{number}", str(number).encode(), ttl_seconds=60)
    with server.hanging():
        assert await asyncio.gather(*(cache.get("k1") for _ in range(2))) == [None, None]

    assert [await cache.get(f"k{number}") for number in (2, 0, 1)] == [b"2", b"0", b"1"]
    await redis.close()


async def test_a_full_redis_refuses_writes_at_once_and_is_still_read(server: RedisServer) -> None:
    redis = guarded(server)
    cache = RedisCache(redis)
    await cache.set("old", b"value", ttl_seconds=60)
    with server.full():
        for number in range(5):
            await cache.set(f"new{number}", b"value", ttl_seconds=60)
        assert await cache.get("old") == b"value"
        assert await cache.get("new0") is None
    await cache.set("new0", b"value", ttl_seconds=60)
    assert await cache.get("new0") == b"value"
    await redis.close()
