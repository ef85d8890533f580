"""A vector index in a dictionary."""

from collections.abc import Collection, Sequence
from uuid import UUID

from app.core.chunk import IndexHit
from app.core.errors import IndexUnavailable
from app.providers.indexes.search_indexes import ChunkVector


class MemoryVectorIndex:
    """Cosine of unit vectors. While `is_down`, every call raises."""

    def __init__(self) -> None:
        self._rows: dict[UUID, dict[str, ChunkVector]] = {}
        self.is_down = False

    async def search(
        self, agent_id: UUID, vector: Sequence[float], limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        rows = [row for row in self._of(agent_id).values() if among is None or row.document_version_id in among]
        hits = [IndexHit(row.chunk_id, _cosine(vector, row.vector)) for row in rows]
        return sorted(hits, key=lambda hit: hit.score, reverse=True)[:limit]

    async def similarities(self, agent_id: UUID, vector: Sequence[float], chunk_ids: Sequence[str]) -> dict[str, float]:
        rows = self._of(agent_id)
        return {name: _cosine(vector, rows[name].vector) for name in chunk_ids if name in rows}

    async def put(self, agent_id: UUID, rows: Sequence[ChunkVector]) -> None:
        self._of(agent_id)
        if rows:
            self._rows.setdefault(agent_id, {}).update({row.chunk_id: row for row in rows})

    async def drop_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> None:
        rows = self._of(agent_id)
        self._rows[agent_id] = {
            name: row for name, row in rows.items() if row.document_version_id not in document_version_ids
        }

    async def count_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> int:
        return sum(row.document_version_id in document_version_ids for row in self._of(agent_id).values())

    async def drop_agent(self, agent_id: UUID) -> None:
        self._of(agent_id)
        self._rows.pop(agent_id, None)

    async def chunk_ids(self, agent_id: UUID) -> set[str]:
        return set(self._of(agent_id))

    async def agent_ids(self) -> set[UUID]:
        return {agent_id for agent_id, rows in self._rows.items() if rows}

    async def compact(self) -> None:
        """There is nothing to merge."""

    async def purge(self) -> None:
        """What was dropped is gone."""
        if self.is_down:
            raise IndexUnavailable("The vector index was told to be down.")

    def _of(self, agent_id: UUID) -> dict[str, ChunkVector]:
        if self.is_down:
            raise IndexUnavailable("The vector index was told to be down.")
        return self._rows.get(agent_id, {})


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
