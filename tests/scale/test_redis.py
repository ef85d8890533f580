"""Cache and limits on a real Redis, and while it is away."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

import pytest

from app.adapters.fallback_rate_limiter import FallbackRateLimiter
from app.adapters.limits_rate_limiter import LimitsRateLimiter
from app.adapters.memory_rate_limiter import MemoryRateLimiter
from app.adapters.redis_cache import RedisCache
from app.adapters.redis_connection import redis_client
from app.domain.errors import RateLimited, Unavailable
from app.ports.rate_limiter import Limit
from tests.contracts.cache_contract import CacheContract
from tests.contracts.rate_limiter_contract import RateLimiterContract
from tests.scale.redis_server import RedisServer, running_redis


@pytest.fixture(scope="module")
def running() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture
def server(running: RedisServer) -> RedisServer:
    running.empty()
    return running


@pytest.fixture
async def cache(server: RedisServer) -> AsyncIterator[RedisCache]:
    cache = RedisCache(redis_client(server.url))
    yield cache
    await cache.close()


@pytest.fixture
async def limiter(server: RedisServer) -> AsyncIterator[LimitsRateLimiter]:
    limiter = LimitsRateLimiter(server.url)
    yield limiter
    await limiter.close()


class TestRedisCache(CacheContract):
    async def let_pass(self, seconds: int) -> None:
        await asyncio.sleep(seconds)  # Redis keeps its own time


class TestLimitsRateLimiter(RateLimiterContract):
    async def let_pass(self, seconds: int) -> None:
        await asyncio.sleep(seconds)  # Redis keeps its own time


async def test_many_commands_at_once_share_few_connections(cache: RedisCache) -> None:
    await asyncio.gather(*(cache.set(f"k{number}", b"v", ttl_seconds=60) for number in range(100)))

    assert await asyncio.gather(*(cache.get(f"k{number}") for number in range(100))) == [b"v"] * 100


async def test_two_processes_share_one_count(limiter: LimitsRateLimiter, server: RedisServer) -> None:
    other, twice = LimitsRateLimiter(server.url), Limit(2, 60)
    await limiter.hit(twice, "a")
    await other.hit(twice, "a")

    for either in (limiter, other):
        with pytest.raises(RateLimited):
            await either.hit(twice, "a")
    await other.close()


async def test_a_cache_that_goes_away_misses_quickly_and_comes_back(server: RedisServer) -> None:
    now = 0.0
    cache = RedisCache(redis_client(server.url), now=lambda: now)
    await cache.set("key", b"value", ttl_seconds=60)
    server.stop()
    begun = time.monotonic()
    try:
        for _ in range(50):
            assert await cache.get("key") is None
            await cache.set("key", b"value", ttl_seconds=60)
            await cache.delete("key")
        assert time.monotonic() - begun < 2
    finally:
        server.start()

    now = 1.0
    await cache.set("key", b"again", ttl_seconds=60)
    assert await cache.get("key") == b"again"
    await cache.close()


async def test_limits_go_on_in_the_process_while_redis_is_away(server: RedisServer) -> None:
    shared = LimitsRateLimiter(server.url)
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
    await shared.close()


async def test_a_server_that_takes_calls_and_says_nothing_is_a_miss() -> None:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    silent = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    cache = RedisCache(redis_client(f"redis://127.0.0.1:{port}/0"))
    begun = time.monotonic()

    assert await cache.get("key") is None
    assert await cache.get("key") is None
    assert time.monotonic() - begun < 2

    await cache.close()
    silent.close()
