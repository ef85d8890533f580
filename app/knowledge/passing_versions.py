"""The pages of an agent that pass filters."""

from collections.abc import Sequence
from uuid import UUID

from app.core.search_filter import SearchFilter
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.store.system_of_record import SystemOfRecord, Transaction


def versions_passing(
    tx: Transaction, agent_id: UUID, filters: Sequence[SearchFilter], document_id: UUID | None = None
) -> set[UUID] | None:
    """The agent's live document versions that pass every filter, of one document if it is given; None for all."""
    narrow = [one for one in filters if not one.is_open]
    return LiveDocumentRecords(tx).versions_passing(agent_id, narrow, document_id) if narrow else None


async def read_versions_passing(
    records: SystemOfRecord, agent_id: UUID, filters: Sequence[SearchFilter], document_id: UUID | None = None
) -> set[UUID] | None:
    """The same in its own transaction, or without one if every filter is open."""
    if all(one.is_open for one in filters):
        return None
    return await records.of_agent(agent_id).read(lambda tx: versions_passing(tx, agent_id, filters, document_id))
