"""Days that are over are counted once, for figures over many of them; and again when something in them has changed."""

from datetime import date, timedelta
from typing import Final
from uuid import UUID

from app.conversations.records.packed_days import Kind, OutdatedDay, PackedDayRecords
from app.kit.clock import Clock
from app.quality.records.quality import AskedTurnRecords, QualityRecords
from app.reports.records.topics import TopicDayRecords
from app.store.system_of_record import SystemOfRecord, Transaction

_CLOCKS_APART: Final = timedelta(hours=3)  # at most, of processes: none of them begins a turn in a day that is over
_DAY: Final = timedelta(days=1)
_AT_ONCE: Final = 30


class DayPacking:
    """Several workers may do this at the same time. No write waits while a day is counted."""

    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def pack(self) -> int:
        """Return how many were counted, of the latest that wait for it."""
        last = (self._clock.now() - _CLOCKS_APART).date() - _DAY
        for agent_id in await self._records.read(lambda tx: PackedDayRecords(tx).behind(last)):
            await self._go_on_to(agent_id, last)
        outdated = await self._records.read(lambda tx: PackedDayRecords(tx).outdated(last, _AT_ONCE))
        for day in outdated:
            await self._count(day)
        return len(outdated)

    async def _go_on_to(self, agent_id: UUID, last: date) -> None:
        await self._records.of_agent(agent_id).write(lambda tx: PackedDayRecords(tx).go_on_to(agent_id, last))

    async def _count(self, day: OutdatedDay) -> None:
        own = self._records.of_agent(day.agent_id)
        content = await own.read(lambda tx: _counted(tx, day))
        await own.write(lambda tx: PackedDayRecords(tx).keep(day, content))


def _counted(tx: Transaction, day: OutdatedDay) -> bytes:
    match day.kind:
        case Kind.TURNS:
            return AskedTurnRecords(tx).pack(day.agent_id, day.day)
        case Kind.CITATIONS:
            return QualityRecords(tx).pack_cited(day.agent_id, day.day)
        case Kind.TOPICS:
            return TopicDayRecords(tx).pack(day.agent_id, day.day)
