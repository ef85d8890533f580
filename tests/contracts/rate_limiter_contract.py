"""What every RateLimiter promises."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import pytest

from app.core.errors import RateLimited
from app.kit.limits import Limit, RateLimiter

TWO = Limit(2, 60)
WORKERS = 32
HITS_OF_EACH = 10


async def admitted(limiters: Sequence[RateLimiter], limit: Limit) -> int:
    """How many hits of one key pass while each of these makes HITS_OF_EACH, all at the same time."""

    async def hits(limiter: RateLimiter) -> int:
        passed = 0
        for _ in range(HITS_OF_EACH):
            with suppress(RateLimited):
                await limiter.hit(limit, "agent", "everyone")
                passed += 1
        return passed

    return sum(await asyncio.gather(*(hits(limiter) for limiter in limiters)))


class RateLimiterContract:
    """A subclass gives the fixture `limiter`, and says how time passes."""

    async def let_pass(self, seconds: int) -> None:
        raise NotImplementedError

    async def test_hits_past_the_limit_say_how_long_to_wait(self, limiter: RateLimiter) -> None:
        await limiter.hit(TWO, "agent", "visitor")
        await limiter.hit(TWO, "agent", "visitor")

        for _ in range(2):
            with pytest.raises(RateLimited) as caught:
                await limiter.hit(TWO, "agent", "visitor")
            assert 1 <= caught.value.retry_after_seconds <= 60

    async def test_workers_at_once_get_what_the_limit_allows(self, limiter: RateLimiter) -> None:
        assert await admitted([limiter] * WORKERS, Limit(100, 60)) == 100

    async def test_each_key_has_its_own_count(self, limiter: RateLimiter) -> None:
        for key in (("a", "b"), ("a/b",), ("a", "b", ""), ("a",), ("b", "a")):
            await limiter.hit(Limit(1, 60), *key)

        with pytest.raises(RateLimited):
            await limiter.hit(Limit(1, 60), "a", "b")

    async def test_each_limit_has_its_own_count(self, limiter: RateLimiter) -> None:
        await limiter.hit(Limit(1, 60), "a")
        await limiter.hit(Limit(1, 30), "a")

    async def test_the_window_moves(self, limiter: RateLimiter) -> None:
        limit = Limit(2, 1)
        await limiter.hit(limit, "a")
        await limiter.hit(limit, "a")
        with pytest.raises(RateLimited) as caught:
            await limiter.hit(limit, "a")

        await self.let_pass(caught.value.retry_after_seconds)

        await limiter.hit(limit, "a")

    async def test_a_limit_of_nothing_refuses_all(self, limiter: RateLimiter) -> None:
        with pytest.raises(RateLimited):
            await limiter.hit(Limit(0, 60), "a")
