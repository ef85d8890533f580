"""Who reads a turn, and what happens when nobody does any more."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Subscribers:
    """Readers here, and other processes that have readers. `changed` hears whether there are any, each time that
    turns. A turn that nobody has read yet has not been left."""

    def __init__(self, changed: Callable[[bool], None] | None = None) -> None:
        self._changed = changed
        self._here = 0
        self._elsewhere: set[str] = set()
        self._gone: tuple[float, Callable[[], None]] | None = None
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def reader(self) -> Iterator[None]:
        """Around the reading of one reader here."""
        self._change(here=+1)
        try:
            yield
        finally:
            self._change(here=-1)

    def elsewhere(self, process: str, is_reading: bool) -> None:
        """Another process has begun, or ended, to read for readers of its own."""
        was_read = self._is_read
        (self._elsewhere.add if is_reading else self._elsewhere.discard)(process)
        self._tell(was_read)

    def when_gone(self, grace_seconds: float, call: Callable[[], None]) -> None:
        """Call once the last reader has left and `grace_seconds` have passed without another."""
        self._gone = (grace_seconds, call)

    @property
    def _is_read(self) -> bool:
        return self._here > 0 or bool(self._elsewhere)

    def _change(self, here: int) -> None:
        was_read = self._is_read
        self._here += here
        self._tell(was_read)

    def _tell(self, was_read: bool) -> None:
        if self._is_read == was_read:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._is_read and self._gone is not None:
            self._timer = asyncio.get_running_loop().call_later(*self._gone)
        if self._changed:
            self._changed(self._is_read)
