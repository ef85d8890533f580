"""RateLimiter: a shared one, and while that is away one of this process."""

from app.core.errors import Unavailable
from app.kit.limits.rate_limiter import Limit, RateLimiter


class FallbackRateLimiter:
    """Limits are then counted per process, which is looser, and visitors are still answered. Whoever is behind
    `shared` says in the log that it is away."""

    def __init__(self, shared: RateLimiter, own: RateLimiter) -> None:
        self._shared = shared
        self._own = own

    async def hit(self, limit: Limit, *key: str) -> None:
        try:
            await self._shared.hit(limit, *key)
        except Unavailable:
            await self._own.hit(limit, *key)
