"""Port: when sources are read again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.reading_schedule import Schedule, SourceSchedule


class ScheduleRecords(Protocol):
    async def set(self, source_id: UUID, schedule: Schedule, next_at: datetime) -> None:
        """From now on. Raises NotFound for an absent source."""
        ...

    async def clear(self, source_id: UUID) -> None:
        """The source is read when somebody asks for it, and only then."""
        ...

    async def of_sources(self, source_ids: Sequence[UUID]) -> dict[UUID, SourceSchedule]:
        """Of those that have one."""
        ...

    async def due(self, now: datetime) -> list[SourceSchedule]:
        """Those whose next reading is not after `now`, longest due first."""
        ...

    async def move_on(self, due: SourceSchedule, next_at: datetime) -> bool:
        """The due reading is taken care of; False when somebody else has done so, or the schedule was changed."""
        ...
