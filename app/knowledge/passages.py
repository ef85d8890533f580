"""An agent's knowledge: its documents, their passages as search and the model see them, and those that pass filters."""

from collections.abc import Sequence
from uuid import UUID

from app.agents.own_agent import reads_agent
from app.core.actor import Actor
from app.core.chunk import Chunk
from app.core.list_page import ListPage, PageRequest
from app.core.search_filter import SearchFilter
from app.kit.wiring import Wired
from app.knowledge.document import Document
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.store.system_of_record import SystemOfRecord, Transaction, reads


class Passages(Wired):
    _records: SystemOfRecord

    @reads_agent
    def documents(
        self, tx: Transaction, actor: Actor, agent_id: UUID, page: PageRequest, source_id: UUID | None = None
    ) -> ListPage[Document]:
        """The documents that the agent may answer from, oldest first; with a source, only its own. Raises NotFound for
        an agent that does not exist or belongs to another workspace."""
        return LiveDocumentRecords(tx).page(agent_id, page, source_id)

    @reads
    def of_document(self, tx: Transaction, actor: Actor, document_id: UUID) -> Sequence[Chunk]:
        """The document's passages, in order; none if the agent may not answer from it. Raises NotFound for a document
        that does not exist or belongs to another workspace."""
        return LiveDocumentRecords(tx).document_chunks(actor.workspace_id, document_id)


def versions_passing(
    tx: Transaction, agent_id: UUID, filters: Sequence[SearchFilter], document_id: UUID | None = None
) -> set[UUID] | None:
    """The agent's live versions that pass every filter, of one document if it is given; None without any filter."""
    narrow = [one for one in filters if not one.is_open]
    return LiveDocumentRecords(tx).versions_passing(agent_id, narrow, document_id) if narrow else None


async def read_versions_passing(
    records: SystemOfRecord, agent_id: UUID, filters: Sequence[SearchFilter], document_id: UUID | None = None
) -> set[UUID] | None:
    """Like `versions_passing`, in its own transaction, or without one if every filter is open."""
    if all(one.is_open for one in filters):
        return None
    return await records.of_agent(agent_id).read(lambda tx: versions_passing(tx, agent_id, filters, document_id))
