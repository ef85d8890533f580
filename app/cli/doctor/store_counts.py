"""How many rows each store holds of an agent, and whether they agree."""

from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from app.bootstrap.infrastructure import Infrastructure
from app.core.errors import IndexUnavailable
from app.knowledge.followed_keyword_index import FollowedKeywordIndex
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """An index that cannot be read has None. Chunks are those that may be answered from; `astray` counts ids that
    stand in one store and not in the other."""

    documents: int
    chunks: int
    vectors: int | None
    keywords: int | None
    astray: int

    def findings(self) -> list[str]:
        """What is wrong and how to mend it."""
        away = [name for name, rows in (("vector", self.vectors), ("keyword", self.keywords)) if rows is None]
        found = [f"the {name} index cannot be read. Run `docent reindex`." for name in away]
        if self.astray:
            found.append(f"{self.astray} index rows do not match the record. Run `docent reindex`.")
        return found


async def store_counts(base: Infrastructure, agent_id: UUID) -> StoreCounts:
    def work(tx: Transaction) -> tuple[set[str], int, int]:
        documents, chunks = LiveDocumentRecords(tx).counts(agent_id)
        live = LiveDocumentRecords(tx).live_chunk_ids(agent_id)
        return live, chunks, documents

    if isinstance(base.indexes.keywords, FollowedKeywordIndex):
        with suppress(IndexUnavailable):  # counting says so
            await base.indexes.keywords.follow(agent_id)
    live, chunks, documents = await base.record.of_agent(agent_id).read(work)
    held: list[set[str] | None] = []
    for index in (base.indexes.vectors, base.indexes.keywords):
        try:
            held.append(await index.chunk_ids(agent_id))
        except IndexUnavailable:
            held.append(None)
    vectors, keywords = (None if ids is None else len(ids) for ids in held)
    astray = sum(len(ids ^ live) for ids in held if ids is not None)
    return StoreCounts(documents, chunks, vectors, keywords, astray)
