"""Port: finds the nearest chunks by meaning. Derived data: all of it can be rebuilt from the system of record."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from app.core.chunk import IndexHit


@dataclass(frozen=True, slots=True)
class ChunkVector:
    """One row: a chunk of a document version, and its vector of length 1."""

    chunk_id: str
    document_version_id: UUID
    vector: Sequence[float]


class VectorSearch(Protocol):
    """The part of the index that search uses. All agents share one index; each call reads the rows of one agent."""

    async def search(
        self, agent_id: UUID, vector: Sequence[float], limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        """Up to `limit` chunks, highest cosine first; with `among`, of these document versions only. Raises
        IndexUnavailable."""
        ...

    async def similarities(self, agent_id: UUID, vector: Sequence[float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """The cosine of each named chunk that exists. Raises IndexUnavailable."""
        ...

    async def chunk_ids(self, agent_id: UUID) -> set[str]:
        """Every chunk id of the agent. Raises IndexUnavailable."""
        ...


class VectorIndex(VectorSearch, Protocol):
    """The whole index: reads, writes and repairs."""

    async def put(self, agent_id: UUID, rows: Sequence[ChunkVector]) -> None:
        """Add or replace by chunk id: doing it twice changes nothing. Raises IndexUnavailable."""
        ...

    async def drop_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> None:
        """Remove every row of these versions; absent ones are fine. Raises IndexUnavailable."""
        ...

    async def count_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> int:
        """How many rows of these versions there are. Raises IndexUnavailable."""
        ...

    async def drop_agent(self, agent_id: UUID) -> None: ...

    async def agent_ids(self) -> set[UUID]:
        """Every agent that has rows."""
        ...

    async def compact(self) -> None:
        """Merge small files and remove the versions of more than an hour ago; searches continue meanwhile. Raises
        IndexUnavailable."""
        ...

    async def purge(self) -> None:
        """Write everything anew, so that no file has anything of a dropped row. Expensive; searches continue meanwhile.
        Raises IndexUnavailable."""
        ...
