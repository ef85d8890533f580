"""Timeouts for what `asyncio.timeout` counts wrongly or makes expensive, and answers that take the same time whatever
was found.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

_LOOKS: Final = 8  # an answer is seen by one round of the loop and taken by the next: connecting needs six


@asynccontextmanager
async def patient_timeout(seconds: float) -> AsyncIterator[None]:
    """Like `asyncio.timeout`, but the time is counted in parts, and each counts once, however late the loop is: a busy
    event loop has not looked whether the answer was there. If the loop is on time, the block ends after `seconds`;
    otherwise after as many rounds of the loop as there are parts. Raises TimeoutError."""
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
    """Ends a wait that takes too long, like `asyncio.timeout`, but with one timer for many waits: when it fires, it is
    set again if the wait it was set for is over. A timer for each costs as much as what is waited for.

    One wait at a time. The owner closes it.
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
        """The awaited result. Raises TimeoutError at `due`, by the event loop's clock."""
        waiting = cast(asyncio.Task[Any], asyncio.current_task(self._loop))  # given the loop, it need not be looked up
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
    """`seconds` is more than the work takes: its end is not to reveal how many accounts an address has."""

    seconds: float = 0.5

    @asynccontextmanager
    async def __call__(self, *, if_refused: bool = False) -> AsyncIterator[None]:
        """The block takes at least that long; with `if_refused`, only one that raises."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.seconds
        try:
            yield
        except Exception:
            await asyncio.sleep(max(0.0, until - loop.time()))
            raise
        if not if_refused:
            await asyncio.sleep(max(0.0, until - loop.time()))
