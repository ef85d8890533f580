"""A turn log in memory: what it holds is found by whoever shares the object."""

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.core.turn_events import NumberedEvent
from app.turns.remote.turn_log import KEPT_SECONDS, EventBatch, TurnHead


@dataclass(slots=True)
class _Logged:
    head: TurnHead
    events: list[NumberedEvent] = field(default_factory=list)
    ended_at: float | None = None


class MemoryTurnLog:
    is_shared = True

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._turns: dict[UUID, _Logged] = {}
        self._grown = asyncio.Event()

    async def append(self, batches: Sequence[EventBatch]) -> Collection[UUID]:
        self._drop_old()
        lost = []
        for batch in batches:
            turn_id = batch.head.turn_id
            if turn_id not in self._turns and batch.events[0].number == 1:
                self._turns[turn_id] = _Logged(batch.head)
            logged = self._turns.get(turn_id)
            if logged is None or batch.events[0].number > len(logged.events) + 1:
                lost.append(turn_id)
                continue
            logged.events += [event for event in batch.events if event.number > len(logged.events)]
            if logged.events[-1].is_last and logged.ended_at is None:
                logged.ended_at = self._now()
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()
        return lost

    async def head(self, turn_id: UUID) -> TurnHead | None:
        self._drop_old()
        logged = self._turns.get(turn_id)
        return logged.head if logged else None

    async def read(self, turn_id: UUID, after: int, wait_seconds: float) -> list[NumberedEvent]:
        self._drop_old()
        try:
            async with asyncio.timeout(wait_seconds):
                while True:
                    grown = self._grown
                    logged = self._turns.get(turn_id)
                    if logged and len(logged.events) > after:
                        return logged.events[after:]
                    await grown.wait()
        except TimeoutError:
            return []

    async def forget(self, turn_ids: Collection[UUID]) -> None:
        for turn_id in turn_ids:
            self._turns.pop(turn_id, None)

    def _drop_old(self) -> None:
        """In the order of their beginnings, which is nearly that of their ends."""
        while self._turns:
            turn_id, oldest = next(iter(self._turns.items()))
            if oldest.ended_at is None or self._now() - oldest.ended_at < KEPT_SECONDS:
                return
            del self._turns[turn_id]
