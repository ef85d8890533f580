"""A run's queue of pages, kept in the system of record: it outlives the process."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from app.ports.records.transaction import SystemOfRecord
from app.ports.site_reader import QueuedPage


class RunPages:
    """Implements `PageQueue` for one run of one source."""

    def __init__(self, record: SystemOfRecord, run_id: UUID, source_id: UUID) -> None:
        self._record = record
        self._run_id = run_id
        self._source_id = source_id

    async def add(self, pages: Sequence[QueuedPage]) -> int:
        if not pages:
            return 0
        async with self._record.write() as records:
            return await records.sources.add_pages(self._run_id, pages)

    async def take(self, limit: int) -> list[QueuedPage]:
        """As the port says. "Has it changed?" is asked only of pages whose content we still have: a page that was
        a duplicate, or was retired, is read in full."""
        async with self._record.write() as records:
            taken = await records.sources.take_pages(self._run_id, limit)
            return [
                page
                if await records.documents.live_hash(self._source_id, page.url) is not None
                else replace(page, etag=None, last_modified=None)
                for page in taken
            ]

    async def seen_count(self) -> int:
        async with self._record.read() as records:
            return await records.sources.seen_pages(self._run_id)
