"""Work that a worker does again and again beside its jobs."""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from app.kit.tasks.ended_task import end_task
from app.kit.tasks.supervisor import Supervisor


class PeriodicTask:
    """Does `work` while its block runs. It returns how much it did: after a round that did something the next one
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

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._running is not None:
            await end_task(self._running)

    async def _go_round(self) -> None:
        if not await self._work():
            await asyncio.sleep(self._pause_seconds)
