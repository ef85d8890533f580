"""TurnLog of a web process that is alone: whoever looks for a turn finds it there, so nothing is kept twice."""

import asyncio
from collections.abc import Collection, Sequence
from uuid import UUID

from app.core.turn_events import NumberedEvent
from app.turns.remote.turn_log import Growth, TurnHead


class UnsharedTurnLog:
    is_shared = False

    async def append(self, growths: Sequence[Growth]) -> Collection[UUID]:
        return ()

    async def head(self, turn_id: UUID) -> TurnHead | None:
        return None

    async def read(self, turn_id: UUID, after: int, wait_seconds: float) -> list[NumberedEvent]:
        await asyncio.sleep(wait_seconds)
        return []

    async def forget(self, turn_ids: Collection[UUID]) -> None:
        pass
