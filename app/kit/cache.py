"""Port: a cache of small values, which may be dropped at any time; with an implementation in this process's memory."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol


class Cache(Protocol):
    """Never a source of truth: if the cache fails, reads return None and writes have no effect. No method raises."""

    async def get(self, key: str) -> bytes | None: ...

    async def set(self, key: str, value: bytes, *, ttl_seconds: int) -> None: ...

    async def delete(self, key: str) -> None: ...


class MemoryCache:
    """Drops expired entries, and the least recently used beyond `max_entries` or `max_bytes`."""

    def __init__(
        self,
        *,
        max_entries: int = 10_000,
        max_bytes: int = 24 * 1024 * 1024,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._now = now
        self._entries: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self._bytes = 0

    async def get(self, key: str) -> bytes | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        ends_at, value = entry
        if ends_at <= self._now():
            self._forget(key)
            return None
        self._entries.move_to_end(key)
        return value

    async def set(self, key: str, value: bytes, *, ttl_seconds: int) -> None:
        self._forget(key)
        if ttl_seconds <= 0:
            return
        self._entries[key] = (self._now() + ttl_seconds, value)
        self._bytes += len(value)
        while len(self._entries) > self._max_entries or self._bytes > self._max_bytes:
            self._forget(next(iter(self._entries)))

    async def delete(self, key: str) -> None:
        self._forget(key)

    def _forget(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._bytes -= len(entry[1])
