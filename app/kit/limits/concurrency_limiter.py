"""Slots for one kind of work: a limited number at once, and a limited number that wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class ConcurrencyLimitReached(Exception):
    """The queue is full, or no slot became free in time."""


class ConcurrencyLimiter:
    """`running` pieces of work at once; up to `waiting` more wait for `wait_seconds`, first come first served."""

    def __init__(self, *, running: int, waiting: int, wait_seconds: float) -> None:
        self._free = asyncio.Semaphore(running)
        self._waiting = waiting
        self._wait_seconds = wait_seconds
        self._waiting_now = 0

    @property
    def is_full(self) -> bool:
        """Whether a new caller would be refused, unless a slot becomes free first."""
        return self._free.locked() and self._waiting_now >= self._waiting

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Holds a slot while the block runs. Raises ConcurrencyLimitReached, immediately if the queue is full."""
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
