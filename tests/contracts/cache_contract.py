"""What every Cache promises."""

from app.kit.cache import Cache


class CacheContract:
    """A subclass gives the fixture `cache`, and says how time passes."""

    async def let_pass(self, seconds: int) -> None:
        raise NotImplementedError

    async def test_what_was_set_is_got(self, cache: Cache) -> None:
        await cache.set("key", b"\x00value", ttl_seconds=60)

        assert await cache.get("key") == b"\x00value"
        assert await cache.get("other") is None

    async def test_setting_again_replaces(self, cache: Cache) -> None:
        await cache.set("key", b"one", ttl_seconds=60)
        await cache.set("key", b"two", ttl_seconds=60)

        assert await cache.get("key") == b"two"

    async def test_what_was_deleted_is_a_miss(self, cache: Cache) -> None:
        await cache.set("key", b"value", ttl_seconds=60)
        await cache.delete("key")
        await cache.delete("never there")

        assert await cache.get("key") is None

    async def test_what_has_run_out_is_a_miss(self, cache: Cache) -> None:
        await cache.set("short", b"value", ttl_seconds=1)
        await cache.set("long", b"value", ttl_seconds=60)
        await self.let_pass(1)

        assert await cache.get("short") is None
        assert await cache.get("long") == b"value"

    async def test_no_time_at_all_keeps_nothing(self, cache: Cache) -> None:
        await cache.set("key", b"value", ttl_seconds=60)
        await cache.set("key", b"value", ttl_seconds=0)

        assert await cache.get("key") is None

    async def test_any_key_and_an_empty_value_are_fine(self, cache: Cache) -> None:
        await cache.set("any key / 中文 \n", b"", ttl_seconds=60)

        assert await cache.get("any key / 中文 \n") == b""
