"""What a reading did not find any more: counted, and retired when three readings in a row have missed it."""

from dataclasses import dataclass
from uuid import UUID

from app.domain.missed_page import RETIRED_AFTER, is_telling
from app.domain.source import Source
from app.ports.records.transaction import Records
from app.ports.site_reader import QueuedPage, ReadPage

RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class MissedPages:
    """What one reading made of what it did not find. `versions` are those retired, whose index rows may go."""

    missed: int = 0
    retired: int = 0
    versions: tuple[UUID, ...] = ()

    def in_words(self) -> str:
        """ "" when nothing was missed."""
        words = ""
        if left := self.missed - self.retired:
            words += f" {left} {_documents(left)} of earlier readings did not turn up and stayed."
        if self.retired:
            was = "was" if self.retired == 1 else "were"
            words += (
                f" {self.retired} {_documents(self.retired)}, missed {RETIRED_AFTER} times in a row, {was} retired."
            )
        return words


async def settle_missed_pages(records: Records, source: Source, run_id: UUID, *, is_complete: bool) -> MissedPages:
    """Count what the run found and missed; retire what was missed too often, and say so among the run's pages.

    Only a complete reading that most pages answered counts as a miss. Part of the transaction that ends the run, so
    that each run counts once.
    """
    await records.documents.forget_misses(run_id)
    run = await records.sources.run(run_id)
    if not is_complete or not is_telling(run.counts):
        return MissedPages()
    missed = await records.documents.count_misses(run_id)
    lost = [document for document in missed if document.readings >= RETIRED_AFTER]
    versions: list[UUID] = []
    for document in lost:
        versions += await records.documents.retire_document(source.agent_id, document.id)
        page = ReadPage(
            url=document.asked or document.url,
            depth=0,
            status=RETIRED,
            reason=f"Missed {document.readings} times in a row, so it is answered from no longer. {document.reason}",
        )
        await records.sources.add_pages(run_id, [QueuedPage(page.url, depth=0)])
        await records.sources.settle_page(run_id, page, RETIRED, None, 0)
    return MissedPages(len(missed), len(lost), tuple(versions))


def _documents(count: int) -> str:
    return "document" if count == 1 else "documents"
