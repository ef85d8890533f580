"""The limits of one process."""

import pytest

from app.adapters.fallback_rate_limiter import FallbackRateLimiter
from app.adapters.memory_rate_limiter import MemoryRateLimiter
from app.domain.errors import RateLimited, Unavailable
from app.ports.rate_limiter import Limit, RateLimiter
from tests.contracts.rate_limiter_contract import RateLimiterContract


class _Time:
    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds


class _Shared:
    """A limiter that may be away."""

    def __init__(self) -> None:
        self.is_away = False
        self.asked = 0

    async def hit(self, limit: Limit, *key: str) -> None:
        self.asked += 1
        if self.is_away:
            raise Unavailable("away")


class TestMemoryRateLimiter(RateLimiterContract):
    @pytest.fixture(autouse=True)
    def _own_time(self) -> None:
        self.time = _Time()

    @pytest.fixture
    def limiter(self) -> RateLimiter:
        return MemoryRateLimiter(now=self.time.now)

    async def let_pass(self, seconds: int) -> None:
        self.time.seconds += seconds


class TestFallbackRateLimiter(TestMemoryRateLimiter):
    @pytest.fixture
    def limiter(self) -> RateLimiter:
        shared = _Shared()
        shared.is_away = True
        return FallbackRateLimiter(shared, MemoryRateLimiter(now=self.time.now), now=self.time.now)


async def test_only_the_callers_that_came_last_are_remembered() -> None:
    limiter, once = MemoryRateLimiter(max_keys=2), Limit(1, 60)
    for key in ("a", "b", "c"):
        await limiter.hit(once, key)

    await limiter.hit(once, "a")
    with pytest.raises(RateLimited):
        await limiter.hit(once, "c")


async def test_a_shared_limiter_that_failed_is_left_alone_for_a_while() -> None:
    time, shared = _Time(), _Shared()
    limiter = FallbackRateLimiter(shared, MemoryRateLimiter(), rest_seconds=1, now=time.now)
    shared.is_away = True

    for _ in range(3):
        await limiter.hit(Limit(5, 60), "a")
    assert shared.asked == 1

    shared.is_away, time.seconds = False, 1.0
    for _ in range(10):
        await limiter.hit(Limit(5, 60), "a")
    assert shared.asked == 11
