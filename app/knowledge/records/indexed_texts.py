"""What an index on another machine must contain of an agent, version by version."""

from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func, select

from app.core.chunk import StoredChunk
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.live_documents import STORED_CHUNKS, is_live_of, stored_chunk
from app.store.tables.knowledge import CHUNKS, DOCUMENT_VERSIONS
from app.store.transaction import Repository


class IndexedText(NamedTuple):
    """Identifies what an index has of a version: its text never changes, but contexts of its chunks may."""

    chunks: int
    context_chars: int


class ChunkStanding(NamedTuple):
    """The chunks of an agent that an index must contain (`live`, with their versions), and those that it may contain
    because they are being indexed (`pending`). Read this after the index: chunks that are in neither are strays."""

    live: dict[str, UUID]
    pending: set[str]

    def strays(self, held: Collection[str]) -> set[str]:
        return set(held) - self.live.keys() - self.pending

    def missing(self, held: Collection[str]) -> set[str]:
        return self.live.keys() - held


class IndexedTextRecords(Repository):
    """Reads live versions only."""

    def by_version(self, agent_id: UUID) -> dict[UUID, IndexedText]:
        written = func.coalesce(func.sum(func.length(CHUNKS.c.indexed_context)), 0)
        counted = (
            select(CHUNKS.c.version_id, func.count(CHUNKS.c.id), written)
            .join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.id == CHUNKS.c.version_id)
            .where(is_live_of(agent_id))
            .group_by(CHUNKS.c.version_id)
        )
        return {version: IndexedText(chunks, chars) for version, chunks, chars in self._connection.execute(counted)}

    def standing(self, agent_id: UUID) -> ChunkStanding:
        chunks = select(CHUNKS.c.id, CHUNKS.c.version_id).join(
            DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.id == CHUNKS.c.version_id
        )
        live = {row.id: row.version_id for row in self._connection.execute(chunks.where(is_live_of(agent_id)))}
        return ChunkStanding(live, DocumentRecords(self._tx).pending_chunk_ids(agent_id))

    def chunks(self, agent_id: UUID, version_ids: Sequence[UUID]) -> list[StoredChunk]:
        """The chunks of those versions that are still live."""
        named = STORED_CHUNKS.where(is_live_of(agent_id), DOCUMENT_VERSIONS.c.id.in_(version_ids))
        return [stored_chunk(*row) for row in self._connection.execute(named)]
