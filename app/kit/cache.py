"""Port: a cache of small values, which may be dropped at any time; with an implementation in this process's memory.
And a cache for values that would be computed again identically."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from typing import Generic, Protocol, TypeVar


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


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentValues(Generic[Key, Value]):
    """Holds up to `max_values` values; beyond that, drops the least recently used. Thread-safe."""

    def __init__(self, max_values: int) -> None:
        self._max_values = max_values
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._guard = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        with self._guard:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def get_all(self, keys: Iterable[Key]) -> dict[Key, Value]:
        """The values of those keys that are cached, in the order of `keys`."""
        with self._guard:
            known = {key: value for key in keys if (value := self._values.get(key)) is not None}
            for key in known:
                self._values.move_to_end(key)
            return known

    def keep(self, key: Key, value: Value) -> None:
        with self._guard:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._max_values:
                self._values.popitem(last=False)

    def forget(self, key: Key) -> None:
        """Does nothing for an unknown key."""
        with self._guard:
            self._values.pop(key, None)
