"""StreamSlots in Redis, for all web processes: a sorted set per visitor, scored by when each slot expires."""

from typing import Final
from uuid import UUID

from app.kit.limits.memory_stream_slots import too_many_streams
from app.kit.limits.stream_slots import LEASE_SECONDS
from app.kit.redis.redis_with_breaker import RedisWithBreaker

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
    """Raises Unavailable while Redis is down: see `FallbackStreamSlots`."""

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
