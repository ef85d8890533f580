"""RateLimiter with the limits library on Redis: one count for all processes."""

import math
import time
from typing import Any
from urllib.parse import quote

from limits import RateLimitItemPerSecond
from limits.aio.storage import RedisStorage
from limits.aio.strategies import MovingWindowRateLimiter

from app.kit.limits.rate_limiter import Limit
from app.kit.redis.redis_with_breaker import RedisWithBreaker


class LimitsRateLimiter:
    """Raises Unavailable while Redis is down: see `FallbackRateLimiter`."""

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
