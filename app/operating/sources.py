"""What operators do with sources: add, read, watch, remove."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

import structlog

from app.domain.errors import IndexUnavailable
from app.domain.source import CrawlRun, PageStatus, Source, SourceConfig
from app.operating.actor import Actor
from app.operating.list_paging import page_of
from app.operating.source_rules import check_source
from app.ports.job_queue import JobQueue
from app.ports.records.page import ListPage, PageRequest
from app.ports.records.transaction import SystemOfRecord

_log = structlog.get_logger("docent.operating")


class VersionIndex(Protocol):
    """The one thing asked of either index here."""

    async def drop_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> None: ...


@dataclass(frozen=True, slots=True)
class DeletedSource:
    """The receipt: how many documents' versions can no longer be answered from."""

    source_id: UUID
    removed_versions: int


class Sources:
    """Every method raises NotFound for an agent or source that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord, jobs: JobQueue, indexes: Sequence[VersionIndex] = ()) -> None:
        self._records = records
        self._jobs = jobs
        self._indexes = indexes

    async def create(self, actor: Actor, agent_id: UUID, config: SourceConfig) -> Source:
        """Raises InvalidInput."""
        check_source(config)
        async with self._records.write() as records:
            await records.agents.get(actor.workspace_id, agent_id)
            source = await records.sources.create(agent_id, config)
            await records.audit.record(
                actor.workspace_id,
                actor.name,
                "source.create",
                str(source.id),
                {"agent_id": str(agent_id), "kind": config.kind.value, "url": config.url},
            )
        return source

    async def of_agent(self, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[Source]:
        """Oldest first, each with its latest run."""
        async with self._records.read() as records:
            await records.agents.get(actor.workspace_id, agent_id)
            sources = await records.sources.of_agent(agent_id)
        return page_of(sources, page, lambda source: str(source.id))

    async def get(self, actor: Actor, source_id: UUID) -> Source:
        """With its latest run and that run's counts."""
        async with self._records.read() as records:
            return await records.sources.find(actor.workspace_id, source_id)

    async def sync(self, actor: Actor, source_id: UUID) -> CrawlRun:
        """Have the source read; a run that already waits or reads is given back."""
        async with self._records.write() as records:
            source = await records.sources.find(actor.workspace_id, source_id)
            run = await records.sources.start_run(source.agent_id, source.id)
            await records.audit.record(
                actor.workspace_id, actor.name, "source.sync", str(source_id), {"run_id": str(run.id)}
            )
        # A crash before this line leaves a queued run, which the next worker to start picks up.
        await self._jobs.crawl(run.agent_id, run.id)
        return run

    async def pages(
        self, actor: Actor, source_id: UUID, page: PageRequest, status: str | None = None
    ) -> ListPage[PageStatus]:
        """Pages of the latest run; none before the first."""
        async with self._records.read() as records:
            source = await records.sources.find(actor.workspace_id, source_id)
            if source.run is None:
                return ListPage(items=())
            return await records.sources.pages(source.run.id, page, status)

    async def delete(self, actor: Actor, source_id: UUID) -> DeletedSource:
        """From the commit on nothing of it is answered from; the indexes' rows go after it."""
        async with self._records.write() as records:
            source = await records.sources.find(actor.workspace_id, source_id)
            versions = await records.sources.delete(source.agent_id, source_id)
            await records.agents.bump_generation(source.agent_id)
            await records.audit.record(
                actor.workspace_id,
                actor.name,
                "source.delete",
                str(source_id),
                {"agent_id": str(source.agent_id), "removed_versions": len(versions)},
            )
        await self._forget(source.agent_id, versions)
        return DeletedSource(source_id=source_id, removed_versions=len(versions))

    async def _forget(self, agent_id: UUID, versions: Sequence[UUID]) -> None:
        for index in self._indexes:
            try:
                await index.drop_versions(agent_id, versions)
            except IndexUnavailable as error:
                # Searches read live versions from the record only, and reconcile removes the orphans.
                _log.warning("index_rows_left_behind", agent_id=str(agent_id), error=str(error))
