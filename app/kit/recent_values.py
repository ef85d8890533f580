"""A cache for values that would be computed again identically."""

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from threading import Lock
from typing import Generic, TypeVar

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
