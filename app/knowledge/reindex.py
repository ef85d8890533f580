"""Rebuilds an agent's indexes from the system of record."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

from app.agents.records import AgentRecords
from app.knowledge.chunk_contexts import ChunkContexts, ContextReport
from app.knowledge.chunk_indexer import ChunkIndexer, batches
from app.knowledge.records.contexts import ContextRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.store.system_of_record import SystemOfRecord

_CHUNKS_A_STEP = 512


@dataclass(frozen=True, slots=True)
class ReindexProgress:
    """Progress after each step: `done` of `total` chunks of one agent, `embedded` of which were not in the embedding
    cache, and the result for their contexts."""

    agent_id: UUID
    done: int
    total: int
    embedded: int
    contexts: ContextReport


class Reindex:
    """Brings the contexts of an agent's chunks in line with its setting, then empties its indexes and refills them;
    searches find less until that is done."""

    def __init__(self, record: SystemOfRecord, contexts: ChunkContexts, indexer: ChunkIndexer) -> None:
        self._record = record
        self._contexts = contexts
        self._indexer = indexer

    async def agent(self, agent_id: UUID) -> AsyncIterator[ReindexProgress]:
        """Yields once before the first chunk, then after each step. Raises EmbedderUnavailable, IndexUnavailable."""
        contexts = await self._refresh_contexts(agent_id)
        chunks = await self._record.of_agent(agent_id).read(lambda tx: LiveDocumentRecords(tx).agent_chunks(agent_id))
        await self._indexer.forget_agent(agent_id)
        done = embedded = 0
        yield ReindexProgress(agent_id, done, len(chunks), embedded, contexts)
        for step in batches(chunks, _CHUNKS_A_STEP):
            embedded += len(await self._indexer.put(agent_id, step))
            done += len(step)
            yield ReindexProgress(agent_id, done, len(chunks), embedded, contexts)
        if contexts.changed:  # invalidates cached rankings
            await self._record.of_agent(agent_id).write(lambda tx: AgentRecords(tx).bump_generation(agent_id))

    async def _refresh_contexts(self, agent_id: UUID) -> ContextReport:
        version_ids = await self._record.of_agent(agent_id).read(lambda tx: ContextRecords(tx).live_versions(agent_id))
        report = ContextReport()
        for version_id in version_ids:
            report += await self._contexts.refresh(agent_id, version_id)
        return report

    async def all_agents(self) -> AsyncIterator[ReindexProgress]:
        """Every agent with knowledge, one after the other."""
        agent_ids = await self._record.read(lambda tx: LiveDocumentRecords(tx).agent_ids())
        for agent_id in sorted(agent_ids):
            async for progress in self.agent(agent_id):
                yield progress
