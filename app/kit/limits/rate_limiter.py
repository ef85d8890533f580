"""Port: limits how much one caller may request; counted in this process."""

import math
import time
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable
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


class MemoryRateLimiter:
    """A moving window per key: remembers hits as long as they count, for the last `max_keys` callers of each limit.

    The `limits` library has one too, but its asynchronous storage walks over all keys, with a thread for each, after
    every hit.
    """

    def __init__(self, *, max_keys: int = 100_000, now: Callable[[], float] = time.monotonic) -> None:
        self._max_keys = max_keys
        self._now = now
        self._callers: defaultdict[Limit, OrderedDict[tuple[str, ...], list[float]]] = defaultdict(OrderedDict)

    @property
    def remembered_count(self) -> int:
        """The number of hits by all callers."""
        return sum(len(hits) for callers in self._callers.values() for hits in callers.values())

    async def hit(self, limit: Limit, *key: str) -> None:
        now = self._now()
        counts_from, callers = now - limit.seconds, self._callers[limit]
        self._forget_before(counts_from, callers)
        hits = callers.setdefault(key, [])
        callers.move_to_end(key)
        del hits[: bisect_right(hits, counts_from)]
        if len(hits) >= limit.count:
            wait = math.ceil(hits[0] + limit.seconds - now) if hits else limit.seconds
            raise limit.refusal(max(1, wait))
        hits.append(now)
        if len(callers) > self._max_keys:
            callers.popitem(last=False)

    def _forget_before(self, moment: float, callers: OrderedDict[tuple[str, ...], list[float]]) -> None:
        """The hits of the first callers expire first."""
        while callers:
            key, hits = next(iter(callers.items()))
            if hits and hits[-1] > moment:
                return
            del callers[key]
