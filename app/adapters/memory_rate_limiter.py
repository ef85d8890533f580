"""RateLimiter in this process: a moving window a key.

The `limits` library has one too, but its asynchronous storage walks over all keys, with a thread for each, after
every hit.
"""

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from app.ports.rate_limiter import Limit


class MemoryRateLimiter:
    """Remembers the hits of the `max_keys` callers that came last."""

    def __init__(self, *, max_keys: int = 100_000, now: Callable[[], float] = time.monotonic) -> None:
        self._max_keys = max_keys
        self._now = now
        self._hits: OrderedDict[tuple[Limit, tuple[str, ...]], deque[float]] = OrderedDict()

    async def hit(self, limit: Limit, *key: str) -> None:
        now = self._now()
        hits = self._hits.setdefault((limit, key), deque())
        self._hits.move_to_end((limit, key))
        while hits and hits[0] <= now - limit.seconds:
            hits.popleft()
        if len(hits) >= limit.count:
            wait = math.ceil(hits[0] + limit.seconds - now) if hits else limit.seconds
            raise limit.refusal(max(1, wait))
        hits.append(now)
        if len(self._hits) > self._max_keys:
            self._hits.popitem(last=False)
