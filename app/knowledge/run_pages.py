"""A run's queue of pages, kept in the system of record: it outlives the process."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from app.ports.records.transaction import SystemOfRecord
from app.ports.site_reader import QueuedPage

# Pages that the site no longer has, or that belong elsewhere: only a link can bring them back.
LOST: Final = frozenset({"not_found", "gone", "out_of_scope", "forbidden_address"})


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

    async def add_known(self, limit: int) -> int:
        """Queue up to `limit` URLs of the reading before this one; return how many were new."""
        async with self._record.write() as records:
            return await records.sources.add_known_pages(self._run_id, limit, LOST)

    async def take(self, limit: int) -> list[QueuedPage]:
        async with self._record.write() as records:
            return await records.sources.take_pages(self._run_id, limit)

    async def seen_count(self) -> int:
        async with self._record.read() as records:
            return await records.sources.seen_pages(self._run_id)
