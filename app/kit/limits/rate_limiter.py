"""Port: limits how much one caller may request."""

from dataclasses import dataclass
from typing import Protocol

from app.core.errors import RateLimited, Unavailable


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `count` hits in any `seconds`."""

    count: int
    seconds: int

    def refusal(self, retry_after_seconds: int) -> RateLimited:
        return RateLimited(
            "Too many requests. Try again a little later.", retry_after_seconds, (self.count, self.seconds)
        )


class RateLimiter(Protocol):
    async def hit(self, limit: Limit, *key: str) -> None:
        """Count one hit of `key`.

        Raises RateLimited, with the seconds to wait, if the limit is used up.
        """
        ...


class FallbackRateLimiter:
    """Uses the shared limiter, and one in this process while that is down.

    Limits are then counted per process, which is less strict, but visitors still get answers. `shared` logs that it is
    down.
    """

    def __init__(self, shared: RateLimiter, own: RateLimiter) -> None:
        self._shared = shared
        self._own = own

    async def hit(self, limit: Limit, *key: str) -> None:
        try:
            await self._shared.hit(limit, *key)
        except Unavailable:
            await self._own.hit(limit, *key)
