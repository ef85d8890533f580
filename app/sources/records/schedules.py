"""When sources are read again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, delete, select, update

from app.core.errors import NotFound
from app.sources.run_schedule import Schedule, SourceSchedule
from app.store.batches import batches
from app.store.tables.sources import SOURCE_SCHEDULES, SOURCES
from app.store.transaction import Repository, affected_rows, value_of

_SCHEDULES = select(SOURCE_SCHEDULES, SOURCES.c.agent_id).join(SOURCES, SOURCES.c.id == SOURCE_SCHEDULES.c.source_id)


class ScheduleRecords(Repository):
    def set(self, source_id: UUID, schedule: Schedule, next_at: datetime) -> None:
        """From now on. Raises NotFound for an absent source."""
        if not self._exists(SOURCES, source_id):
            raise NotFound("source")
        values = {
            "cron": schedule.cron,
            "every_hours": schedule.every_hours,
            "set_at": self._now(),
            "next_at": next_at,
        }
        statement = self._insert(SOURCE_SCHEDULES).values(source_id=source_id, **values)
        self._connection.execute(statement.on_conflict_do_update(index_elements=["source_id"], set_=values))

    def clear(self, source_id: UUID) -> None:
        """The source is read when somebody asks for it, and only then."""
        self._connection.execute(delete(SOURCE_SCHEDULES).where(SOURCE_SCHEDULES.c.source_id == source_id))

    def of_sources(self, source_ids: Sequence[UUID]) -> dict[UUID, SourceSchedule]:
        """Of those that have one."""
        found: dict[UUID, SourceSchedule] = {}
        for batch in batches(source_ids):
            rows = self._connection.execute(_SCHEDULES.where(SOURCE_SCHEDULES.c.source_id.in_(batch)))
            found.update((row.source_id, _schedule(row)) for row in rows)
        return found

    def due(self, now: datetime) -> list[SourceSchedule]:
        """Those whose next reading is not after `now`, longest due first."""
        statement = _SCHEDULES.where(SOURCE_SCHEDULES.c.next_at <= now).order_by(
            SOURCE_SCHEDULES.c.next_at, SOURCE_SCHEDULES.c.source_id
        )
        return [_schedule(row) for row in self._connection.execute(statement)]

    def move_on(self, due: SourceSchedule, next_at: datetime) -> bool:
        """The due reading is taken care of; False when somebody else has done so, or the schedule was changed."""
        moved = self._connection.execute(
            update(SOURCE_SCHEDULES)
            .where(SOURCE_SCHEDULES.c.source_id == due.source_id, SOURCE_SCHEDULES.c.next_at == due.next_at)
            .values(next_at=next_at)
        )
        return affected_rows(moved) == 1


def _schedule(row: Row[Any]) -> SourceSchedule:
    return value_of(SourceSchedule, row, schedule=value_of(Schedule, row))
