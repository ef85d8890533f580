"""Slots for work of one kind: so many at once, so many more that wait, and no pile behind them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class ConcurrencyLimitReached(Exception):
    """Nobody may wait any more, or a slot came too late."""


class ConcurrencyLimiter:
    """`running` pieces of work at once; up to `waiting` more wait for `wait_seconds`, first come first served."""

    def __init__(self, *, running: int, waiting: int, wait_seconds: float) -> None:
        self._free = asyncio.Semaphore(running)
        self._waiting = waiting
        self._wait_seconds = wait_seconds
        self._waiting_now = 0

    @property
    def is_full(self) -> bool:
        """Whoever came now would be turned away, unless a slot became free first."""
        return self._free.locked() and self._waiting_now >= self._waiting

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Around the work. Raises ConcurrencyLimitReached, at once when nobody may wait any more."""
        if self.is_full:
            raise ConcurrencyLimitReached(f"{self._waiting} wait already")
        self._waiting_now += 1
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._free.acquire()
        except TimeoutError as error:
            raise ConcurrencyLimitReached(f"no slot became free within {self._wait_seconds:g} s") from error
        finally:
            self._waiting_now -= 1
        try:
            yield
        finally:
            self._free.release()
