"""Ports: find chunks by the words of a question, and by meaning. Derived data: all of it can be rebuilt from the system
of record."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from app.core.chunk import IndexHit


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """One entry: a chunk of a document version and the text to find it by."""

    chunk_id: str
    document_version_id: UUID
    title: str
    text: str  # context line and chunk


class KeywordIndex(Protocol):
    """One index per agent, with its own statistics. `language` is a BCP 47 primary subtag or None; it selects stemmer
    and stop words, and must be the same for writing and searching an agent."""

    async def search(
        self, agent_id: UUID, language: str | None, question: str, limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        """Up to `limit` chunks, highest BM25 first; with `among`, of these document versions only, by the statistics of
        the whole index. [] if the question has only stop words. Raises IndexUnavailable."""
        ...

    async def complete(
        self, agent_id: UUID, language: str | None, typed: str, limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        """Up to `limit` chunks for a text being typed, best first: those with each of its words, of which the last may
        be incomplete; if there are none, those with words near them, and then those with some of them. Words in the
        title count more. `among` as in `search`. Raises IndexUnavailable."""
        ...

    def marked(self, language: str | None, typed: str, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """For each text, the (start, end) of what `complete` matched, in order, without overlaps."""
        ...

    async def respelt(self, agent_id: UUID, language: str | None, question: str) -> str:
        """The question with words that no entry has in the entries' spelling, if there is a near one: "motnh" as
        "month", "web hook" as "webhook". Raises IndexUnavailable."""
        ...

    async def coverage(self, agent_id: UUID, language: str | None, question: str, texts: Sequence[str]) -> list[float]:
        """For each text, the share in [0, 1) of the question's words that it contains, each weighted by its IDF in the
        agent's index. The question counts as one word longer, which no text has: matching the only, common word of a
        short question proves little. 0 if the question has only stop words. Raises IndexUnavailable."""
        ...

    async def put(self, agent_id: UUID, language: str | None, rows: Sequence[ChunkTerms]) -> None:
        """Add or replace by chunk id, visible to searches of every process afterwards. Raises IndexUnavailable."""
        ...

    async def drop_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> None:
        """Remove every entry of these versions; absent ones are fine. Raises IndexUnavailable."""
        ...

    async def count_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> int:
        """How many entries of these versions there are. Raises IndexUnavailable."""
        ...

    async def rewrite(self, agent_id: UUID, language: str | None, rows: Sequence[ChunkTerms]) -> bool:
        """Write the agent's index anew from `rows`, so that no file has anything of a dropped entry. Returns False,
        without a change, if the index has an entry that `rows` lack, which was put meanwhile. An agent without an index
        gets none. Raises IndexUnavailable."""
        ...

    async def drop_agent(self, agent_id: UUID) -> None: ...

    async def chunk_ids(self, agent_id: UUID) -> set[str]:
        """Every chunk id of the agent, for reconciling. Raises IndexUnavailable."""
        ...

    async def agent_ids(self) -> set[UUID]:
        """Every agent that has an index."""
        ...


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
