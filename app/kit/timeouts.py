"""Timeouts where `asyncio.timeout` is inexact or too expensive, and blocks that take the same time in every case."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

_LOOKS: Final = 8  # rounds: an answer is noticed in one and handled in the next, and connecting takes six


@asynccontextmanager
async def patient_timeout(seconds: float) -> AsyncIterator[None]:
    """Like `asyncio.timeout`, but patient with a busy event loop, which may not have looked whether an answer has
    arrived. The time is counted in `_LOOKS` parts, each of which lasts at least one round of the loop. If the loop is
    on time, the block ends after `seconds`. Raises TimeoutError."""
    loop = asyncio.get_running_loop()
    left = _LOOKS
    timer: asyncio.TimerHandle

    def look() -> None:
        nonlocal left, timer
        left -= 1
        if left:
            timer = loop.call_later(seconds / _LOOKS, look)
        else:
            bound.reschedule(loop.time())

    timer = loop.call_later(seconds / _LOOKS, look)
    async with asyncio.timeout(None) as bound:
        try:
            yield
        finally:
            timer.cancel()


Result = TypeVar("Result")


class ReusableTimeout:
    """Like `asyncio.timeout`, but with one timer for many waits, because a timer for each costs as much as what is
    waited for. If the timer fires when its wait is over, it is set again for the current one.

    One wait at a time. The owner calls `close`.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: asyncio.Task[Any] | None = None
        self._due = 0.0
        self._is_over = False

    @property
    def is_waiting(self) -> bool:
        return self._waiting is not None

    def within(self, seconds: float, wanted: Awaitable[Result]) -> Coroutine[Any, Any, Result]:
        return self.until(self._loop.time() + seconds, wanted)

    async def until(self, due: float, wanted: Awaitable[Result]) -> Result:
        """Await `wanted` and return its result. Raises TimeoutError at `due`, a time of the event loop's clock."""
        waiting = cast(asyncio.Task[Any], asyncio.current_task(self._loop))  # passing the loop saves its look-up
        self._due, self._is_over, self._waiting = due, False, waiting
        cancellings = waiting.cancelling()
        if self._timer is None:
            self._timer = self._loop.call_at(due, self._look)
        elif self._timer.when() > due:
            self._timer.cancel()
            self._timer = self._loop.call_at(due, self._look)
        try:
            return await wanted
        except asyncio.CancelledError as error:
            if self._is_over and waiting.uncancel() <= cancellings:
                raise TimeoutError from error
            raise
        finally:
            self._waiting = None

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _look(self) -> None:
        self._timer = None
        if self._waiting is None:
            return
        if self._loop.time() < self._due:
            self._timer = self._loop.call_at(self._due, self._look)
            return
        self._is_over = True
        self._waiting.cancel()


@dataclass(frozen=True, slots=True)
class EvenTime:
    """Makes blocks last at least `seconds`, which is more than the work takes, so that their duration reveals nothing,
    such as how many accounts an address has."""

    seconds: float = 0.5

    @asynccontextmanager
    async def __call__(self, *, if_refused: bool = False) -> AsyncIterator[None]:
        """Wrap a block. With `if_refused`, delay it only if it raises."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.seconds
        try:
            yield
        except Exception:
            await asyncio.sleep(max(0.0, until - loop.time()))
            raise
        if not if_refused:
            await asyncio.sleep(max(0.0, until - loop.time()))
