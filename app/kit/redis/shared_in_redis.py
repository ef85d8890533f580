"""What all processes share in Redis: a cache, rate limits, and slots of streams."""

import math
import time
from contextlib import suppress
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

from limits import RateLimitItemPerSecond
from limits.aio.storage import RedisStorage
from limits.aio.strategies import MovingWindowRateLimiter

from app.core.errors import Unavailable
from app.kit.limits.rate_limiter import Limit
from app.kit.limits.stream_slots import LEASE_SECONDS, too_many_streams
from app.kit.redis.redis_with_breaker import RedisWithBreaker

_PREFIX: Final = "docent:"


class RedisCache:
    """While Redis is down, every read is a miss and every write is dropped."""

    def __init__(self, redis: RedisWithBreaker) -> None:
        self._redis = redis

    async def get(self, key: str) -> bytes | None:
        try:
            value = await self._redis.call(lambda client: client.get(_PREFIX + key))
        except Unavailable:
            return None
        return value if isinstance(value, bytes) else None

    async def set(self, key: str, value: bytes, *, ttl_seconds: int) -> None:
        if ttl_seconds <= 0:
            await self.delete(key)
            return
        with suppress(Unavailable):
            await self._redis.call(lambda client: client.set(_PREFIX + key, value, ex=ttl_seconds))

    async def delete(self, key: str) -> None:
        with suppress(Unavailable):
            await self._redis.call(lambda client: client.delete(_PREFIX + key))


class LimitsRateLimiter:
    """By the limits library. Raises Unavailable while Redis is down: see `FallbackRateLimiter`."""

    def __init__(self, redis: RedisWithBreaker) -> None:
        self._redis = redis
        # Typed for plain options only, but passed through.
        pool: Any = redis.client.connection_pool
        self._storage = RedisStorage(
            "async+redis://",  # unused, because the pool has its own address
            implementation="redispy",
            key_prefix="docent:limit",
            connection_pool=pool,
        )
        self._limiter = MovingWindowRateLimiter(self._storage)

    async def hit(self, limit: Limit, *key: str) -> None:
        item = RateLimitItemPerSecond(limit.count, limit.seconds)
        parts = [quote(part, safe="") for part in key]  # limits joins them with slashes
        if limit.count > 0 and await self._redis.call(lambda _: self._limiter.hit(item, *parts)):
            return
        stats = await self._redis.call(lambda _: self._limiter.get_window_stats(item, *parts))
        wait = math.ceil(stats.reset_time - time.time())
        raise limit.refusal(min(limit.seconds, max(1, wait)))


# KEYS: the visitor's set. ARGV: slot, seconds of a lease, limit; -1 renews. Redis's own clock counts, for all alike.
_HOLD: Final = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local limit = tonumber(ARGV[3])
if limit >= 0 and redis.call('ZCARD', KEYS[1]) >= limit then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('EXPIRE', KEYS[1], tonumber(ARGV[2]))
return 1
"""
_RENEWAL: Final = -1


class RedisStreamSlots:
    """A sorted set per visitor, scored by when each slot expires. Raises Unavailable while Redis is down: see
    `FallbackStreamSlots`."""

    def __init__(self, redis: RedisWithBreaker) -> None:
        self._redis = redis

    async def acquire(self, visitor_id: UUID, slot: UUID, limit: int) -> None:
        if not await self._hold(visitor_id, slot, limit):
            raise too_many_streams(limit)

    async def renew(self, visitor_id: UUID, slot: UUID) -> None:
        await self._hold(visitor_id, slot, _RENEWAL)

    async def release(self, visitor_id: UUID, slot: UUID) -> None:
        await self._redis.call(lambda client: client.zrem(_key(visitor_id), str(slot)))

    async def _hold(self, visitor_id: UUID, slot: UUID, limit: int) -> bool:
        held = (_key(visitor_id), str(slot), LEASE_SECONDS, limit)
        return bool(await self._redis.call(lambda client: client.eval(_HOLD, 1, *held)))


def _key(visitor_id: UUID) -> str:
    return f"docent:streams:{visitor_id}"
