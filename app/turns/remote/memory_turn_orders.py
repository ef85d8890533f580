"""TurnOrders of one process: heard by whoever shares the object."""

import asyncio
from collections.abc import AsyncGenerator

from app.turns.remote.turn_orders import TurnOrder


class MemoryTurnOrders:
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
