"""Cache in Redis, shared by all processes."""

import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

_log = structlog.get_logger(__name__)

T = TypeVar("T")

_REST_SECONDS: Final = 1.0


class RedisCache:
    """While Redis is away every read is a miss. After a failure nothing is asked for a second, so that a turn does
    not wait for one timeout after another."""

    def __init__(self, client: Redis, *, prefix: str = "docent:", now: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._prefix = prefix
        self._now = now
        self._rests_until = 0.0

    async def get(self, key: str) -> bytes | None:
        value = await self._asked(lambda: self._client.get(self._prefix + key), "get")
        return value if isinstance(value, bytes) else None

    async def set(self, key: str, value: bytes, *, ttl_seconds: int) -> None:
        if ttl_seconds <= 0:
            await self.delete(key)
        else:
            await self._asked(lambda: self._client.set(self._prefix + key, value, ex=ttl_seconds), "set")

    async def delete(self, key: str) -> None:
        await self._asked(lambda: self._client.delete(self._prefix + key), "delete")

    async def close(self) -> None:
        await self._client.aclose()

    async def _asked(self, command: Callable[[], Awaitable[T]], name: str) -> T | None:
        if self._now() < self._rests_until:
            return None
        try:
            return await command()
        except (RedisError, OSError, TimeoutError) as error:
            self._rests_until = self._now() + _REST_SECONDS
            _log.warning("cache_unavailable", command=name, reason=f"{type(error).__name__}: {error}")
            return None
