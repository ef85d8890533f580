"""RateLimiter: a shared one, and while that is away one of this process."""

import time
from collections.abc import Callable

import structlog

from app.domain.errors import Unavailable
from app.ports.rate_limiter import Limit, RateLimiter

_log = structlog.get_logger(__name__)


class FallbackRateLimiter:
    """Limits are then counted per process, which is looser, and visitors are still answered. After a failure the
    shared one is left alone for `rest_seconds`."""

    def __init__(
        self,
        shared: RateLimiter,
        own: RateLimiter,
        *,
        rest_seconds: float = 1.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._shared = shared
        self._own = own
        self._rest_seconds = rest_seconds
        self._now = now
        self._rests_until = 0.0

    async def hit(self, limit: Limit, *key: str) -> None:
        if self._now() >= self._rests_until:
            try:
                return await self._shared.hit(limit, *key)
            except Unavailable as error:
                self._rests_until = self._now() + self._rest_seconds
                _log.warning("limits_counted_in_process", reason=str(error))
        return await self._own.hit(limit, *key)
