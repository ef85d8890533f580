"""Cache in Redis, shared by all processes."""

from contextlib import suppress

from app.core.errors import Unavailable
from app.kit.redis.redis_with_breaker import RedisWithBreaker


class RedisCache:
    """While Redis is away every read is a miss, and what would be written is forgotten."""

    def __init__(self, redis: RedisWithBreaker, *, prefix: str = "docent:") -> None:
        self._redis = redis
        self._prefix = prefix

    async def get(self, key: str) -> bytes | None:
        try:
            value = await self._redis.call(lambda client: client.get(self._prefix + key))
        except Unavailable:
            return None
        return value if isinstance(value, bytes) else None

    async def set(self, key: str, value: bytes, *, ttl_seconds: int) -> None:
        if ttl_seconds <= 0:
            await self.delete(key)
            return
        with suppress(Unavailable):
            await self._redis.call(lambda client: client.set(self._prefix + key, value, ex=ttl_seconds))

    async def delete(self, key: str) -> None:
        with suppress(Unavailable):
            await self._redis.call(lambda client: client.delete(self._prefix + key))
