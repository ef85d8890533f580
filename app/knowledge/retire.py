"""What left the website leaves the knowledge."""

from collections.abc import Sequence
from uuid import UUID

from app.knowledge.chunk_indexer import ChunkIndexer
from app.store.documents import DocumentRecords
from app.store.live_documents import LiveDocumentRecords
from app.store.sources import SourceRecords
from app.store.system_of_record import SystemOfRecord


class Retire:
    """Takes documents out of what an agent may answer from.

    The system of record is told first, in one transaction: from then on nothing of it is answered from, whatever
    the indexes still hold. A crash before they are cleared is mended by `Reconcile`.
    """

    def __init__(self, record: SystemOfRecord, indexer: ChunkIndexer) -> None:
        self._record = record
        self._indexer = indexer

    async def page(self, agent_id: UUID, source_id: UUID, url: str) -> UUID | None:
        """Retire what was learnt at the URL; return its document id, None when nothing there is live."""
        async with self._record.write() as tx:
            if await LiveDocumentRecords(tx).live_hash(source_id, url) is None:
                return None
            document_id = await LiveDocumentRecords(tx).document_at(source_id, url)
            if document_id is None:
                return None
            versions = await DocumentRecords(tx).retire_document(agent_id, document_id)
        await self.versions(agent_id, versions)
        return document_id

    async def versions(self, agent_id: UUID, version_ids: Sequence[UUID]) -> None:
        """Clear the indexes of versions that the system of record has retired."""
        await self._indexer.forget_versions(agent_id, version_ids)

    async def source(self, agent_id: UUID, source_id: UUID) -> int:
        """Delete the source with all its documents; return how many document versions went.

        Raises NotFound, as the records do.
        """
        async with self._record.write() as tx:
            versions = await SourceRecords(tx).delete(agent_id, source_id)
        await self._indexer.forget_versions(agent_id, versions)
        return len(versions)
