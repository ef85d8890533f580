"""Rebuilds an agent's indexes from the system of record, and estimates beforehand what that costs."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from uuid import UUID

from app.agents.agent_choices import ContextKind
from app.agents.own_agent import OwnAgent
from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.costs import TokenPrices
from app.kit.job_queue import JobQueue
from app.kit.wiring import Wired
from app.knowledge.chunk_contexts import ChunkContexts, ContextEstimate, ContextReport
from app.knowledge.chunk_indexer import ChunkIndexer
from app.knowledge.records.contexts import ContextRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import batches
from app.workspaces.audit_entry import more_changes_of
from app.workspaces.records.audit import AuditRecords

_CHUNKS_A_STEP = 512

more_changes_of("agent", {"reindex": "Agent indexed again"})


@dataclass(frozen=True, slots=True)
class ReindexProgress:
    """Progress after each step: `done` of `total` chunks of one agent, `embedded` of which were not in the embedding
    cache, and the result for their contexts."""

    agent_id: UUID
    done: int
    total: int
    embedded: int
    contexts: ContextReport


class Reindex(Wired):
    """Brings the contexts of an agent's chunks in line with its setting, then empties its indexes and refills them;
    searches find less until that is done."""

    _record: SystemOfRecord
    _contexts: ChunkContexts
    _indexer: ChunkIndexer

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
        """Reindex every agent with knowledge, one after the other."""
        agent_ids = await self._record.read(lambda tx: LiveDocumentRecords(tx).agent_ids())
        for agent_id in sorted(agent_ids):
            async for progress in self.agent(agent_id):
                yield progress


@dataclass(frozen=True, slots=True)
class ReindexEstimate:
    """`contexts` are those that the chat model would write, none unless the published settings require them. `price` is
    the highest that their tokens cost, in the operator's currency; None if no price is set."""

    contexts: ContextEstimate
    price: float | None


class Reindexing(Wired):
    """Has a worker write the contexts that are missing, and then refill both indexes."""

    _records: SystemOfRecord
    _contexts: ChunkContexts
    _jobs: JobQueue
    _prices: TokenPrices

    async def estimate(self, actor: Actor, agent_id: UUID) -> ReindexEstimate:
        """Estimate the cost, without a call of the model. Raises NotFound."""
        own = OwnAgent(self._records, actor, agent_id)
        config = await own.read(lambda tx: AgentRecords(tx).live_config(agent_id))
        contexts = await self._contexts.estimate(agent_id)
        if config.contextual_chunks is not ContextKind.MODEL:
            contexts = replace(contexts, to_write=0, prompt_tokens=0, cached_tokens=0, answer_tokens=0)
        return ReindexEstimate(contexts, self._prices.cost(replace(contexts.usage, model=self._contexts.model_id)))

    async def start(self, actor: Actor, agent_id: UUID) -> None:
        """Raises NotFound."""
        await OwnAgent(self._records, actor, agent_id).write(
            lambda tx: AuditRecords(tx).acted(actor, "agent.reindex", agent_id)
        )
        await self._jobs.reindex_agent(agent_id)
