"""Removes pages that left their website from the knowledge."""

from collections.abc import Sequence
from uuid import UUID

from app.knowledge.chunk_indexer import ChunkIndexer
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources.records import SourceRecords
from app.store.system_of_record import SystemOfRecord, Transaction


class Retire:
    """Removes documents from what an agent may answer from.

    The system of record is updated first, in one transaction: from then on, no answer uses them, whatever the indexes
    still contain. `Reconcile` repairs a crash before the indexes are cleared.
    """

    def __init__(self, record: SystemOfRecord, indexer: ChunkIndexer) -> None:
        self._record = record
        self._indexer = indexer

    async def page(self, agent_id: UUID, source_id: UUID, url: str) -> UUID | None:
        """Retire what was learnt at the URL; return its document id, None if nothing there is live."""

        def work(tx: Transaction) -> tuple[UUID | None, Sequence[UUID]]:
            if LiveDocumentRecords(tx).live_hash(source_id, url) is None:
                return None, ()
            document_id = LiveDocumentRecords(tx).document_at(source_id, url)
            return document_id, () if document_id is None else DocumentRecords(tx).retire_document(
                agent_id, document_id
            )

        document_id, versions = await self._record.of_agent(agent_id).write(work)
        await self.versions(agent_id, versions)
        return document_id

    async def versions(self, agent_id: UUID, version_ids: Sequence[UUID]) -> None:
        """Remove versions from the indexes that the system of record has retired."""
        await self._indexer.forget_versions(agent_id, version_ids)

    async def source(self, agent_id: UUID, source_id: UUID) -> int:
        """Delete the source with all its documents; return the number of document versions deleted.

        Raises NotFound, like the records.
        """
        versions = await self._record.of_agent(agent_id).write(lambda tx: SourceRecords(tx).delete(agent_id, source_id))
        await self._indexer.forget_versions(agent_id, versions)
        return len(versions)
