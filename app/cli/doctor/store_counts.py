"""Counts an agent's rows in each store, and compares them."""

from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from app.bootstrap.infrastructure import Indexes
from app.core.errors import IndexUnavailable
from app.knowledge.followed_keyword_index import FollowedKeywordIndex
from app.knowledge.records.indexed_texts import ChunkStanding, IndexedTextRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.store.system_of_record import SystemOfRecord, Transaction


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """`vectors` and `keywords` are None if the index cannot be read. `chunks` counts live chunks. `astray` counts
    chunks that an index lacks, and rows whose chunk is neither live nor being indexed."""

    documents: int
    chunks: int
    vectors: int | None
    keywords: int | None
    astray: int

    def findings(self) -> list[str]:
        """The problems, each with its fix."""
        away = [name for name, rows in (("vector", self.vectors), ("keyword", self.keywords)) if rows is None]
        found = [f"the {name} index cannot be read. Run `docent reindex`." for name in away]
        if self.astray:
            found.append(f"{self.astray} index rows do not match the database. Run `docent reindex`.")
        return found


async def store_counts(record: SystemOfRecord, indexes: Indexes, agent_id: UUID) -> StoreCounts:
    def work(tx: Transaction) -> tuple[ChunkStanding, int, int]:
        documents, chunks = LiveDocumentRecords(tx).counts(agent_id)
        return IndexedTextRecords(tx).standing(agent_id), chunks, documents

    if isinstance(indexes.keywords, FollowedKeywordIndex):
        with suppress(IndexUnavailable):  # counted as None below
            await indexes.keywords.follow(agent_id)
    held: list[set[str] | None] = []
    for index in (indexes.vectors, indexes.keywords):
        try:
            held.append(await index.chunk_ids(agent_id))
        except IndexUnavailable:
            held.append(None)
    standing, chunks, documents = await record.of_agent(agent_id).read(work)
    vectors, keywords = (None if ids is None else len(ids) for ids in held)
    astray = sum(len(standing.strays(ids)) + len(standing.missing(ids)) for ids in held if ids is not None)
    return StoreCounts(documents, chunks, vectors, keywords, astray)
