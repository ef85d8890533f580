"""RateLimiter by the limits library on Redis: one count for all processes."""

import math
import time
from typing import Any
from urllib.parse import quote

from limits import RateLimitItemPerSecond
from limits.aio.storage import RedisStorage
from limits.aio.strategies import MovingWindowRateLimiter
from redis.exceptions import RedisError

from app.adapters.redis_connection import redis_client
from app.domain.errors import RateLimited, Unavailable
from app.ports.rate_limiter import Limit


class LimitsRateLimiter:
    """Raises Unavailable while Redis is away: `FallbackRateLimiter` says what happens then."""

    def __init__(self, redis_url: str, *, prefix: str = "docent:limit") -> None:
        # Typed for plain options only, and passed through all the same.
        self._client = redis_client(redis_url)
        pool: Any = self._client.connection_pool
        self._storage = RedisStorage(
            f"async+{redis_url}",
            implementation="redispy",
            key_prefix=prefix,
            connection_pool=pool,
        )
        self._limiter = MovingWindowRateLimiter(self._storage)

    async def hit(self, limit: Limit, *key: str) -> None:
        item = RateLimitItemPerSecond(limit.count, limit.seconds)
        parts = [quote(part, safe="") for part in key]  # limits joins them with slashes
        try:
            if limit.count > 0 and await self._limiter.hit(item, *parts):
                return
            stats = await self._limiter.get_window_stats(item, *parts)
        except (RedisError, OSError, TimeoutError) as error:
            raise Unavailable(f"Redis does not count requests: {error}") from error
        wait = math.ceil(stats.reset_time - time.time())
        raise RateLimited("Too many requests. Try again a little later.", min(limit.seconds, max(1, wait)))

    async def close(self) -> None:
        await self._client.aclose()
