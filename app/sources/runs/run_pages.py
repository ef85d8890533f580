"""A run's queue of pages, kept in the system of record: it outlives the process."""

from collections.abc import Sequence
from typing import Final

from app.knowledge.chunk_indexer import batches
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.site_reader import QueuedPage
from app.sources.source import CrawlRun
from app.store.system_of_record import SystemOfRecord

# Pages that the site no longer has, or that belong elsewhere: only a link can bring them back.
LOST: Final = frozenset({"not_found", "gone", "out_of_scope", "forbidden_address"})

PAGES_A_WRITE: Final = 200  # a sitemap may list 50,000, and visitors write beside it


class RunPages:
    """Implements `PageQueue` for one run."""

    def __init__(self, record: SystemOfRecord, run: CrawlRun) -> None:
        self._record = record
        self._run_id = run.id
        self._agent_id = run.agent_id

    async def add(self, pages: Sequence[QueuedPage]) -> int:
        return sum([await self._add(batch) for batch in batches(pages, PAGES_A_WRITE)])

    async def add_known(self, limit: int) -> int:
        """Queue up to `limit` URLs of the reading before this one; return how many were new."""
        known = await self._record.of_agent(self._agent_id).read(
            lambda tx: CrawlPageRecords(tx).pages_before(self._run_id, limit, LOST)
        )
        return await self.add(known)

    async def _add(self, pages: Sequence[QueuedPage]) -> int:
        return await self._record.of_agent(self._agent_id).write(
            lambda tx: CrawlPageRecords(tx).add_pages(self._run_id, pages)
        )

    async def take(self, limit: int) -> list[QueuedPage]:
        return await self._record.of_agent(self._agent_id).write(
            lambda tx: CrawlPageRecords(tx).take_pages(self._run_id, limit)
        )

    async def seen_count(self) -> int:
        return await self._record.of_agent(self._agent_id).read(
            lambda tx: CrawlPageRecords(tx).seen_pages(self._run_id)
        )
