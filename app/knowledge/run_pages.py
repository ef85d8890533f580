"""A run's queue of pages, kept in the system of record: it outlives the process."""

from collections.abc import Sequence
from uuid import UUID

from app.ports.records.transaction import SystemOfRecord
from app.ports.site_reader import QueuedPage


class RunPages:
    """Implements `PageQueue` for one run."""

    def __init__(self, record: SystemOfRecord, run_id: UUID) -> None:
        self._record = record
        self._run_id = run_id

    async def add(self, pages: Sequence[QueuedPage]) -> int:
        if not pages:
            return 0
        async with self._record.write() as records:
            return await records.sources.add_pages(self._run_id, pages)

    async def take(self, limit: int) -> list[QueuedPage]:
        async with self._record.write() as records:
            return await records.sources.take_pages(self._run_id, limit)

    async def seen_count(self) -> int:
        async with self._record.read() as records:
            return await records.sources.seen_pages(self._run_id)
