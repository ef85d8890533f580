"""Cache in Redis, shared by all processes."""

from contextlib import suppress
from typing import Final

from app.core.errors import Unavailable
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
