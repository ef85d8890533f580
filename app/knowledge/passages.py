"""An agent's knowledge: its documents, and their passages as search and the model see them."""

from collections.abc import Sequence
from uuid import UUID

from app.agents.own_agent import reads_agent
from app.core.actor import Actor
from app.core.chunk import Chunk
from app.core.list_page import ListPage, PageRequest
from app.knowledge.document import Document
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.store.system_of_record import SystemOfRecord, Transaction, reads


class Passages:
    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    @reads_agent
    def documents(
        self, tx: Transaction, actor: Actor, agent_id: UUID, page: PageRequest, source_id: UUID | None = None
    ) -> ListPage[Document]:
        """The documents that the agent may answer from, oldest first; with a source, only its own. Raises NotFound for
        an agent that does not exist or belongs to another workspace."""
        return LiveDocumentRecords(tx).page(agent_id, page, source_id)

    @reads
    def of_document(self, tx: Transaction, actor: Actor, document_id: UUID) -> Sequence[Chunk]:
        """In the page's order; none if the agent may not answer from the document. Raises NotFound for a document that
        does not exist or belongs to another workspace."""
        return LiveDocumentRecords(tx).document_chunks(actor.workspace_id, document_id)
