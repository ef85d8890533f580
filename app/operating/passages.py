"""What an agent knows of a page: its passages, as search and the model see them."""

from collections.abc import Sequence
from uuid import UUID

from app.domain.chunk import Chunk
from app.operating.actor import Actor
from app.ports.records.transaction import SystemOfRecord


class Passages:
    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def of_document(self, actor: Actor, document_id: UUID) -> Sequence[Chunk]:
        """In the order of the page; none when the agent may not answer from it. Raises NotFound for a document that is
        absent or another workspace's."""
        async with self._records.read() as records:
            return await records.documents.document_chunks(actor.workspace_id, document_id)
