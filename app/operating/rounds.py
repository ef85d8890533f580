"""Work that a worker does again and again beside its jobs."""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

import structlog

log = structlog.get_logger(__name__)


class Rounds:
    """Does `work` while its block runs. It returns how much it did: after a round that did something the next one
    follows at once, else after `pause_seconds`. Several workers may do the same rounds at the same time."""

    def __init__(self, name: str, work: Callable[[], Awaitable[int]], pause_seconds: float) -> None:
        self._name = name
        self._work = work
        self._pause_seconds = pause_seconds
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._running = asyncio.create_task(self._go_round(), name=f"rounds of {self._name}")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _go_round(self) -> None:
        while True:
            try:
                if await self._work():
                    continue
            except Exception:  # a database that does not answer now may answer the next time
                log.warning("round_failed", work=self._name, exc_info=True)
            await asyncio.sleep(self._pause_seconds)
