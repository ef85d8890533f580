"""A rate limiter whose window never ends, unless a test resets it."""

from collections import Counter

from app.kit.limits import Limit


class CountingRateLimiter:
    def __init__(self) -> None:
        self.hits: Counter[tuple[str, ...]] = Counter()

    async def hit(self, limit: Limit, *key: str) -> None:
        self.hits[key] += 1
        if self.hits[key] > limit.count:
            raise limit.refusal(limit.seconds)

    def reset(self) -> None:
        self.hits.clear()
