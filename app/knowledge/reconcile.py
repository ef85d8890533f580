"""Repairs differences between the system of record and the indexes after a crash, a lost folder or a change of
language.
"""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, fields
from uuid import UUID

import structlog

from app.agents.records import AgentRecords
from app.core.chunk import StoredChunk
from app.core.errors import IndexUnavailable, Unavailable
from app.knowledge.chunk_indexer import ChunkIndexer, keyword_ids
from app.knowledge.ingest import Ingest
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.indexed_texts import ChunkStanding, IndexedTextRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.providers.indexes.search_indexes import KeywordIndex, VectorIndex
from app.store.system_of_record import SystemOfRecord, Transaction
from app.store.transaction import batches

log = structlog.get_logger(__name__)

_CHUNKS_A_STEP = 256


@dataclass(frozen=True, slots=True)
class ReconcileReport:
    """What was repaired. `left` counts pending versions that could not be finished now."""

    agents: int = 0
    finished: int = 0
    left: int = 0
    retired: int = 0  # versions whose rows were still in an index
    forgotten: int = 0  # agents that an index had and the record did not
    orphans: int = 0  # rows without a live or pending version
    missing: int = 0  # rows that an index lacked

    @property
    def was_clean(self) -> bool:
        return not any(getattr(self, field.name) for field in fields(self) if field.name != "agents")

    def __add__(self, other: "ReconcileReport") -> "ReconcileReport":
        return ReconcileReport(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class Reconcile:
    """Brings both indexes in step with the system of record, which is always right.

    If nothing is wrong, it reads ids and writes nothing. It may run beside other workers: a version that one of them is
    indexing now is finished twice, with the same result.
    """

    _record: SystemOfRecord
    _vectors: VectorIndex
    _keywords: KeywordIndex
    _indexer: ChunkIndexer
    _ingest: Ingest

    async def all_agents(self) -> ReconcileReport:
        """Reconcile all agents. A worker runs this when it starts. Raises IndexUnavailable or EmbedderUnavailable if
        rows cannot be added; earlier repairs stay."""
        report = await self._finish_pending()
        known = await self._record.read(lambda tx: LiveDocumentRecords(tx).agent_ids())
        indexed = await self._indexed_agents()
        for agent_id in sorted(known | indexed):
            report += await self.agent(agent_id)
        if not report.was_clean:
            log.info("indexes.reconciled", **{field.name: getattr(report, field.name) for field in fields(report)})
        return report

    async def finish_agent(self, agent_id: UUID) -> ReconcileReport:
        """Make pending versions live, which an operator released or a crash left, then reconcile the agent."""
        return await self._finish_pending(agent_id) + await self.agent(agent_id)

    async def agent(self, agent_id: UUID) -> ReconcileReport:
        """Reconcile one agent. If its language has changed, the keyword index is rebuilt. Raises like `all_agents`."""

        def work(tx: Transaction) -> tuple[list[UUID], bool]:
            exists = AgentRecords(tx).exists(agent_id)
            retired = DocumentRecords(tx).retired_versions(agent_id) if exists else []
            return retired, exists

        retired, exists = await self._record.of_agent(agent_id).read(work)
        if not exists:
            await self._indexer.forget_agent(agent_id)
            return ReconcileReport(forgotten=1)
        await self._indexer.forget_versions(agent_id, retired)
        in_vectors = await self._held(self._vectors.chunk_ids(agent_id))
        in_keywords = await self._held(keyword_ids(self._record, self._keywords, agent_id))
        standing = await self._record.of_agent(agent_id).read(lambda tx: IndexedTextRecords(tx).standing(agent_id))
        report = ReconcileReport(agents=1, retired=len(retired))
        report += await self._mend(
            agent_id, in_vectors, standing, self._indexer.forget_vectors, self._indexer.put_vectors
        )
        return report + await self._mend(
            agent_id, in_keywords, standing, self._indexer.forget_terms, self._indexer.put_terms
        )

    async def _finish_pending(self, agent_id: UUID | None = None) -> ReconcileReport:
        pending = await self._record.read(lambda tx: DocumentRecords(tx).pending_versions())
        if agent_id is not None:
            pending = [version for version in pending if version.agent_id == agent_id]
        finished = left = 0
        for version in pending:
            try:
                await self._ingest.finish_pending(version)
                finished += 1
            except Unavailable as error:
                log.warning("version.left_pending", version_id=str(version.id), error=str(error))
                left += 1
        return ReconcileReport(finished=finished, left=left)

    async def _mend(
        self,
        agent_id: UUID,
        held: Collection[str],
        standing: ChunkStanding,
        forget: Callable[[UUID, Collection[str]], Awaitable[None]],
        put: Callable[[UUID, list[StoredChunk]], Awaitable[object]],
    ) -> ReconcileReport:
        orphans = standing.strays(held)
        if orphans:
            await forget(agent_id, orphans)
        missing = standing.missing(held)
        if missing:
            chunks = await self._record.of_agent(agent_id).read(
                lambda tx: [chunk for chunk in LiveDocumentRecords(tx).agent_chunks(agent_id) if chunk.id in missing]
            )
            for step in batches(chunks, _CHUNKS_A_STEP):
                await put(agent_id, list(step))
        return ReconcileReport(orphans=len(orphans), missing=len(missing))

    async def _indexed_agents(self) -> set[UUID]:
        found: set[UUID] = set()
        for index in (self._vectors, self._keywords):
            try:
                found |= await index.agent_ids()
            except IndexUnavailable as error:
                log.warning("index.rebuild_began", error=str(error))
        return found

    async def _held(self, ids: Awaitable[set[str]]) -> set[str]:
        """The ids in an index; none if it cannot be read, so that everything is added again."""
        try:
            return await ids
        except IndexUnavailable as error:
            log.warning("index.rebuild_began", error=str(error))
            return set()
