"""The pages of a run: its queue, and the pages that it did not find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from app.knowledge.records.documents import DocumentRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords, MissedDocumentRecords
from app.sources.runs.run_progress import RETIRED_AFTER, MissedDocument, is_telling
from app.sources.runs.site_reader import QueuedPage, ReadPage
from app.sources.source import CrawlRun, Source
from app.store.system_of_record import SystemOfRecord, Transaction
from app.store.transaction import batches

# Statuses of pages that the site no longer has, or that belong elsewhere: only a link brings them back.
LOST: Final = frozenset({"not_found", "gone", "out_of_scope", "forbidden_address"})

PAGES_A_WRITE: Final = 200  # a sitemap may list 50,000, and visitors' writes wait meanwhile


class RunPages:
    """Implements `PageQueue` for one run."""

    def __init__(self, record: SystemOfRecord, run: CrawlRun) -> None:
        self._record = record
        self._run_id = run.id
        self._agent_id = run.agent_id

    async def add(self, pages: Sequence[QueuedPage]) -> int:
        return sum([await self._add(batch) for batch in batches(pages, PAGES_A_WRITE)])

    async def add_known(self, limit: int) -> int:
        """Queue up to `limit` URLs of the previous reading; return how many were new."""
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


RETIRED = "retired"
_AT_ONCE: Final = 100  # documents per transaction: visitors' writes wait meanwhile


@dataclass(frozen=True, slots=True)
class Sight:
    """Which documents of earlier readings a reading `found` again, and which it `missed`."""

    found: tuple[UUID, ...] = ()
    missed: tuple[MissedDocument, ...] = ()

    @property
    def lost(self) -> list[MissedDocument]:
        """The documents that were missed so often that they are retired."""
        return [document for document in self.missed if document.readings >= RETIRED_AFTER]

    @property
    def lost_on_request(self) -> int:
        """How many of the lost documents were requested; no page links to the others any more."""
        return sum(document.requested_url is not None for document in self.lost)

    @property
    def outcome(self) -> "MissedPages":
        """What settling will count."""
        return MissedPages(len(self.missed), len(self.lost))


@dataclass(frozen=True, slots=True)
class MissedPages:
    """The result of settling missed documents. `versions` are the retired ones, whose index rows may be removed."""

    missed: int = 0
    retired: int = 0
    versions: tuple[UUID, ...] = ()

    def in_words(self) -> str:
        """A sentence or two for the run's reason; "" if nothing was missed."""
        words = ""
        if left := self.missed - self.retired:
            words += f" Not found, but kept for now: {left} {_documents(left)} of earlier readings."
        if self.retired:
            was = "was" if self.retired == 1 else "were"
            words += (
                f" {self.retired} {_documents(self.retired)}, missed {RETIRED_AFTER} times in a row, {was} retired."
            )
        return words


async def look_for_missed_pages(record: SystemOfRecord, source: Source, run_id: UUID, *, is_complete: bool) -> Sight:
    """Compare with earlier readings; writes nothing. Only a complete reading with mostly responses has misses."""

    def work(tx: Transaction) -> Sight:
        found = MissedDocumentRecords(tx).found_again(run_id)
        run = CrawlRunRecords(tx).run(run_id)
        is_counted = is_complete and is_telling(run.counts)
        return Sight(tuple(found), tuple(MissedDocumentRecords(tx).missed_documents(run_id)) if is_counted else ())

    return await record.of_agent(source.agent_id).read(work)


async def settle_missed_pages(record: SystemOfRecord, source: Source, run_id: UUID, sight: Sight) -> MissedPages:
    """Count what the run found and missed, retire what was missed too often, and record that among the run's pages.

    This follows the transaction that ends the run, so that each run counts once, and uses small transactions of its
    own, because a moved site misses thousands of pages at once. What a crash leaves uncounted or alive stays so until
    the next reading.
    """
    readings = dict.fromkeys(sight.found, 0) | {document.id: document.readings for document in sight.missed}
    for counted in batches(list(readings.items()), _AT_ONCE):
        await record.of_agent(source.agent_id).write(partial(_count, dict(counted)))
    versions: list[UUID] = []
    for lost in batches(sight.lost, _AT_ONCE):
        versions += await record.of_agent(source.agent_id).write(partial(_retire, source.agent_id, run_id, lost))
    return MissedPages(len(sight.missed), len(sight.lost), tuple(versions))


def _count(readings: Mapping[UUID, int], tx: Transaction) -> None:
    MissedDocumentRecords(tx).set_missed_readings(readings)


def _retire(agent_id: UUID, run_id: UUID, lost: Sequence[MissedDocument], tx: Transaction) -> list[UUID]:
    pages = [
        ReadPage(
            url=document.requested_url or document.url,
            depth=0,
            status=RETIRED,
            reason=f"Missed {document.readings} times in a row, so answers no longer use it. {document.reason}",
        )
        for document in lost
    ]
    CrawlPageRecords(tx).settle_missed(run_id, pages)
    return DocumentRecords(tx).retire_documents(agent_id, [document.id for document in lost])


def _documents(count: int) -> str:
    return "document" if count == 1 else "documents"
