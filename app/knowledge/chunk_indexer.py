"""Keeps both indexes in step with the system of record, one group of chunks at a time."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.agents.records import AgentRecords
from app.core.chunk import StoredChunk
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.indexed_texts import IndexedTextRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.knowledge.text_vectors import text_vectors
from app.providers.embedding.embedder import Embedder
from app.providers.indexes.search_indexes import ChunkTerms, ChunkVector, KeywordIndex, VectorIndex
from app.store.system_of_record import SystemOfRecord, Transaction

# An index deletes by version. Rows of unknown versions are first assigned to this one.
_NO_VERSION = UUID(int=0)
_PROBE = "reconcile"  # any word will do: an index of another language or version raises on every search


@dataclass(frozen=True, slots=True)
class ChunkIndexer:
    """Adds chunks to the vector and the keyword index, and removes them. All calls can be repeated."""

    _record: SystemOfRecord
    _embedder: Embedder
    _vectors: VectorIndex
    _keywords: KeywordIndex

    async def put(self, agent_id: UUID, chunks: Sequence[StoredChunk]) -> Collection[str]:
        """Add or replace the chunks in both indexes at once; return the content hashes that had to be embedded.

        No transaction is open meanwhile. Raises EmbedderUnavailable, IndexUnavailable; one of the indexes may have the
        chunks then.
        """
        both = self.put_vectors(agent_id, chunks), self.put_terms(agent_id, chunks)
        embedded, failure = await asyncio.gather(*both, return_exceptions=True)
        if isinstance(embedded, BaseException):
            raise embedded
        if failure is not None:
            raise failure
        return embedded

    async def put_vectors(self, agent_id: UUID, chunks: Sequence[StoredChunk]) -> Collection[str]:
        """The vector half of `put`."""
        texts = {chunk.content_hash: chunk.searchable_text for chunk in chunks}
        vectors, embedded = await text_vectors(self._record, self._embedder, texts)
        await self._vectors.put(
            agent_id,
            [ChunkVector(chunk.id, chunk.document_version_id, vectors[chunk.content_hash]) for chunk in chunks],
        )
        return embedded

    async def put_terms(self, agent_id: UUID, chunks: Sequence[StoredChunk]) -> None:
        """The keyword half of `put`."""
        language = await self._record.of_agent(agent_id).read(lambda tx: keyword_language(tx, agent_id))
        await self._keywords.put(agent_id, language, chunk_terms(chunks))

    async def forget_versions(self, agent_id: UUID, version_ids: Sequence[UUID]) -> None:
        """Remove the rows of retired versions from both indexes, then purge the versions."""
        if not version_ids:
            return
        await self._vectors.drop_versions(agent_id, version_ids)
        await self._keywords.drop_versions(agent_id, version_ids)
        await self._record.of_agent(agent_id).write(lambda tx: DocumentRecords(tx).purge_versions(version_ids))

    async def forget_vectors(self, agent_id: UUID, chunk_ids: Iterable[str]) -> None:
        """Remove rows of unknown versions from the vector index."""
        somewhere = [1.0, *[0.0] * (self._embedder.dimensions - 1)]
        await self._vectors.put(agent_id, [ChunkVector(chunk_id, _NO_VERSION, somewhere) for chunk_id in chunk_ids])
        await self._vectors.drop_versions(agent_id, [_NO_VERSION])

    async def forget_terms(self, agent_id: UUID, chunk_ids: Iterable[str]) -> None:
        """Remove rows of unknown versions from the keyword index."""
        language = await self._record.of_agent(agent_id).read(lambda tx: keyword_language(tx, agent_id))
        await forget_terms(self._keywords, agent_id, language, chunk_ids)

    async def forget_agent(self, agent_id: UUID) -> None:
        """Remove every row of the agent from both indexes."""
        await self._vectors.drop_agent(agent_id)
        await self._keywords.drop_agent(agent_id)


async def forget_terms(keywords: KeywordIndex, agent_id: UUID, language: str | None, chunk_ids: Iterable[str]) -> None:
    """Remove entries of unknown versions from a keyword index."""
    await keywords.put(agent_id, language, [ChunkTerms(chunk_id, _NO_VERSION, "", "") for chunk_id in chunk_ids])
    await keywords.drop_versions(agent_id, [_NO_VERSION])


async def forget_stray_terms(record: SystemOfRecord, keywords: KeywordIndex, agent_id: UUID) -> bool:
    """Remove entries from a keyword index that are neither live nor being indexed; returns whether there were any. A
    machine has such entries if it learnt a page that another machine deleted. Raises IndexUnavailable."""
    # Read before the record, so that entries added meanwhile do not look stray.
    held = await keywords.chunk_ids(agent_id)

    def work(tx: Transaction) -> tuple[set[str], str | None]:
        return IndexedTextRecords(tx).standing(agent_id).strays(held), keyword_language(tx, agent_id)

    strays, language = await record.of_agent(agent_id).read(work)
    if strays:
        await forget_terms(keywords, agent_id, language, strays)
    return bool(strays)


async def write_terms_anew(record: SystemOfRecord, keywords: KeywordIndex, agent_id: UUID) -> bool:
    """Rewrite a keyword index from what is live or being indexed, so that its files keep no word of deleted content.
    Returns False and changes nothing if something was added meanwhile. Raises IndexUnavailable."""
    await forget_stray_terms(record, keywords, agent_id)

    def work(tx: Transaction) -> tuple[list[StoredChunk], str | None]:
        chunks = LiveDocumentRecords(tx).agent_chunks(agent_id)
        for version in DocumentRecords(tx).pending_versions():
            if version.agent_id == agent_id:
                chunks += DocumentRecords(tx).version_chunks(version.id)
        return chunks, keyword_language(tx, agent_id)

    chunks, language = await record.of_agent(agent_id).read(work)
    return await keywords.rewrite(agent_id, language, chunk_terms(chunks))


def chunk_terms(chunks: Sequence[StoredChunk]) -> list[ChunkTerms]:
    """The chunks in the form that the keyword index takes."""
    return [ChunkTerms(chunk.id, chunk.document_version_id, chunk.title, chunk.searchable_text) for chunk in chunks]


def keyword_language(tx: Transaction, agent_id: UUID) -> str | None:
    """The language for which the agent's keyword index is stemmed: the one that its published version sets, or None."""
    return AgentRecords(tx).live_config(agent_id).language


async def keyword_ids(record: SystemOfRecord, keywords: KeywordIndex, agent_id: UUID) -> set[str]:
    """The chunks in the agent's keyword index. Raises IndexUnavailable, also for an index of another language or
    version of Docent."""
    language = await record.of_agent(agent_id).read(lambda tx: keyword_language(tx, agent_id))
    await keywords.search(agent_id, language, _PROBE, 1)
    return await keywords.chunk_ids(agent_id)
