"""What every RateLimiter promises."""

import pytest

from app.domain.errors import RateLimited
from app.ports.rate_limiter import Limit, RateLimiter

TWO = Limit(2, 60)


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
