"""Keeps background work running for as long as the process: unexpected errors are logged and counted, and end nothing.
Also periodic work, and ending a task."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, NoReturn, Self

import structlog

from app.core.errors import DocentError

log = structlog.get_logger(__name__)

_AGAIN_SECONDS: Final = 0.2
_REST_SECONDS: Final = 1.0


async def end_task(task: "asyncio.Task[Any]") -> None:
    """Cancel the task until it ends: before Python 3.12, `asyncio.wait_for`, which libraries use inside, may lose a
    cancellation. Does not raise the task's error."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=_AGAIN_SECONDS)


class Supervisor:
    """`count` is called with the name of the work at each failure."""

    def __init__(self, count: Callable[[str], None] = lambda work: None) -> None:
        self._count = count

    async def keep_going(
        self, name: str, work: Callable[[], Awaitable[object]], rest_seconds: float = _REST_SECONDS
    ) -> NoReturn:
        """Await `work` again and again until cancelled, and `rest_seconds` after a failure. `work` itself waits if
        there is nothing to do."""
        while True:
            try:
                await work()
            except Exception as error:
                self.note_failure(name, error)
                await asyncio.sleep(rest_seconds)

    def note_failure(self, name: str, error: Exception) -> None:
        """For work that continues by itself. Our own errors need no traceback."""
        self._count(name)
        if isinstance(error, DocentError):
            log.warning("background.failed", work=name, reason=str(error))
        else:
            log.error("background.failed", work=name, exc_info=error)


class PeriodicTask:
    """Calls `work` while its block runs. `work` returns how much it did: after a round that did something, the next
    follows at once, else after `pause_seconds`. Several workers may do the same rounds at the same time."""

    def __init__(
        self,
        name: str,
        work: Callable[[], Awaitable[int]],
        pause_seconds: float,
        supervisor: Supervisor | None = None,
    ) -> None:
        self._name = name
        self._work = work
        self._pause_seconds = pause_seconds
        self._supervisor = supervisor or Supervisor()
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        going = self._supervisor.keep_going(self._name, self._go_round, rest_seconds=self._pause_seconds)
        self._running = asyncio.create_task(going, name=f"rounds of {self._name}")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._running is not None:
            await end_task(self._running)

    async def _go_round(self) -> None:
        if not await self._work():
            await asyncio.sleep(self._pause_seconds)
