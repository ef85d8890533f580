"""The limits of one process."""

import pytest

from app.core.errors import RateLimited, Unavailable
from app.kit.limits import FallbackRateLimiter, Limit, MemoryRateLimiter, RateLimiter
from tests.contracts.rate_limiter_contract import RateLimiterContract
from tests.doubles.fixed_clock import FixedSeconds


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
        self.time = FixedSeconds()

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
        return FallbackRateLimiter(shared, MemoryRateLimiter(now=self.time.now))


async def test_only_the_callers_that_came_last_are_remembered() -> None:
    limiter, once = MemoryRateLimiter(max_keys=2), Limit(1, 60)
    for key in ("a", "b", "c"):
        await limiter.hit(once, key)

    await limiter.hit(once, "a")
    with pytest.raises(RateLimited):
        await limiter.hit(once, "c")


async def test_hits_that_count_no_more_are_forgotten_when_others_come() -> None:
    clock, often = FixedSeconds(), Limit(5, 60)
    limiter = MemoryRateLimiter(now=clock.now)
    for number in range(1_000):
        clock.seconds = float(number)
        await limiter.hit(often, f"caller {number}")

    assert limiter.remembered_count == 60


async def test_the_shared_limiter_counts_as_soon_as_it_is_back() -> None:
    shared = _Shared()
    limiter, once = FallbackRateLimiter(shared, MemoryRateLimiter()), Limit(1, 60)
    shared.is_away = True
    await limiter.hit(once, "a")
    with pytest.raises(RateLimited):
        await limiter.hit(once, "a")

    shared.is_away = False
    await limiter.hit(once, "a")
