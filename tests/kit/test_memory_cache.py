"""The cache of one process."""

import pytest

from app.kit.cache import MemoryCache
from tests.contracts.cache_contract import CacheContract
from tests.doubles.fixed_clock import FixedSeconds


class TestMemoryCache(CacheContract):
    @pytest.fixture(autouse=True)
    def _own_time(self) -> None:
        self.time = FixedSeconds()

    @pytest.fixture
    def cache(self) -> MemoryCache:
        return MemoryCache(now=self.time.now)

    async def let_pass(self, seconds: int) -> None:
        self.time.seconds += seconds


async def test_the_least_recently_used_makes_room() -> None:
    cache = MemoryCache(max_entries=2)
    await cache.set("a", b"1", ttl_seconds=60)
    await cache.set("b", b"2", ttl_seconds=60)
    await cache.get("a")

    await cache.set("c", b"3", ttl_seconds=60)

    assert [await cache.get(key) for key in "abc"] == [b"1", None, b"3"]


async def test_values_never_take_more_than_their_room() -> None:
    cache = MemoryCache(max_bytes=10)
    await cache.set("a", b"12345", ttl_seconds=60)
    await cache.set("b", b"12345", ttl_seconds=60)
    await cache.set("b", b"123456", ttl_seconds=60)
    assert [await cache.get(key) for key in "ab"] == [None, b"123456"]

    await cache.set("too large", b"12345678901", ttl_seconds=60)
    assert await cache.get("too large") is None
