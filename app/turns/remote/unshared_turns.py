"""TurnLog and TurnOrders of a single web process."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from uuid import UUID

from app.core.turn_events import NumberedEvent
from app.turns.remote.turn_log import EventBatch, TurnHead, TurnOrder


class UnsharedTurnLog:
    """Every turn is found in this process, so nothing is stored twice."""

    is_shared = False

    async def append(self, batches: Sequence[EventBatch]) -> Collection[UUID]:
        return ()

    async def head(self, turn_id: UUID) -> TurnHead | None:
        return None

    async def read(self, turn_id: UUID, after: int, wait_seconds: float) -> list[NumberedEvent]:
        await asyncio.sleep(wait_seconds)
        return []

    async def forget(self, turn_ids: Collection[UUID]) -> None:
        pass


class MemoryTurnOrders:
    """Received by everything that shares the object."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Queue[TurnOrder]] = set()

    async def send(self, order: TurnOrder) -> None:
        for listener in self._listeners:
            listener.put_nowait(order)

    async def received(self) -> AsyncGenerator[TurnOrder, None]:
        mine: asyncio.Queue[TurnOrder] = asyncio.Queue()
        self._listeners.add(mine)
        try:
            while True:
                yield await mine.get()
        finally:
            self._listeners.discard(mine)
