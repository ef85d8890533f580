"""What operators do with sources: add, read, watch, remove."""

from uuid import UUID

from app.agents.own_agent import OwnAgent
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.list_paging import page_of
from app.kit.job_queue import JobQueue
from app.sources.records.sources import SourceRecords
from app.sources.runs.page_scope import PageScope
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import ENDED_STATES, CrawlRun, PageStatus, RunState, Source, SourceConfig, SourceKind
from app.sources.source_rules import check_source
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords


class Sources:
    """Every method raises NotFound for an agent or source that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord, jobs: JobQueue, scope: PageScope) -> None:
        self._records = records
        self._jobs = jobs
        self._scope = scope

    def check(self, config: SourceConfig) -> None:
        """Raises InvalidInput where `create` would: what a source may not hold, an address that no reading may dial."""
        check_source(config)
        self._scope.check(config)

    async def create(self, actor: Actor, agent_id: UUID, config: SourceConfig) -> Source:
        """Raises InvalidInput; a file is not created so but uploaded."""
        if config.kind is SourceKind.FILE:
            raise InvalidInput(
                "kind", "Upload a file with POST /v1/agents/{agent_id}/files, or `docent source add-file`."
            )
        self.check(config)

        def work(tx: Transaction) -> Source:
            source = SourceRecords(tx).create(agent_id, config)
            AuditRecords(tx).acted(
                actor, "source.create", source.id, agent_id=str(agent_id), kind=config.kind.value, url=config.url
            )
            return source

        return await OwnAgent(self._records, actor, agent_id).write(work)

    async def of_agent(self, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[Source]:
        """Oldest first, each with its latest run."""

        sources = await OwnAgent(self._records, actor, agent_id).read(lambda tx: SourceRecords(tx).of_agent(agent_id))
        return page_of(sources, page, lambda source: str(source.id))

    async def get(self, actor: Actor, source_id: UUID) -> Source:
        """With its latest run and that run's counts."""
        return await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: SourceRecords(tx).find(actor.workspace_id, source_id)
        )

    async def sync(self, actor: Actor, source_id: UUID) -> CrawlRun:
        """Have the source read; a run that already waits or reads is given back, a paused one goes on."""

        def work(tx: Transaction) -> CrawlRun:
            source = SourceRecords(tx).find(actor.workspace_id, source_id)
            run = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
            run = CrawlRunRecords(tx).resume_run(run.id)
            AuditRecords(tx).acted(actor, "source.sync", source_id, run_id=str(run.id))
            return run

        run = await self._records.of_workspace(actor.workspace_id).write(work)
        # A crash before this line leaves a queued run, which the next worker to start picks up.
        await self._jobs.crawl(run.agent_id, run.id, run.leg)
        return run

    async def cancel(self, actor: Actor, source_id: UUID) -> CrawlRun:
        """End the latest run; what it has learnt stays. One that has ended is given back as it is."""
        return await self._stop(actor, source_id, "source.cancel", RunState.CANCELLED, "An operator cancelled it.")

    async def pause(self, actor: Actor, source_id: UUID) -> CrawlRun:
        """Let the latest run rest: pages under way are finished, the others wait. Raises InvalidInput when it has
        ended."""
        return await self._stop(actor, source_id, "source.pause", RunState.PAUSED)

    async def resume(self, actor: Actor, source_id: UUID) -> CrawlRun:
        """Have a paused run go on where it was; one that waits or reads is given back as it is. Raises InvalidInput
        when it has ended."""

        def work(tx: Transaction) -> CrawlRun:
            run = CrawlRunRecords(tx).resume_run(_latest_run(tx, actor, source_id).id)
            _check_unfinished(run)
            AuditRecords(tx).acted(actor, "source.resume", source_id, run_id=str(run.id))
            return run

        run = await self._records.of_workspace(actor.workspace_id).write(work)
        await self._jobs.crawl(run.agent_id, run.id, run.leg)
        return run

    async def _stop(self, actor: Actor, source_id: UUID, action: str, state: RunState, reason: str = "") -> CrawlRun:
        def work(tx: Transaction) -> CrawlRun:
            run = _latest_run(tx, actor, source_id)
            if state is RunState.PAUSED:
                _check_unfinished(run)
            if run.state in ENDED_STATES:
                return run
            CrawlRunRecords(tx).set_run_state(run.id, state, reason)
            AuditRecords(tx).acted(actor, action, source_id, run_id=str(run.id))
            return CrawlRunRecords(tx).run(run.id)

        return await self._records.of_workspace(actor.workspace_id).write(work)

    async def pages(
        self, actor: Actor, source_id: UUID, page: PageRequest, status: str | None = None
    ) -> ListPage[PageStatus]:
        """Pages of the latest run; none before the first."""

        def work(tx: Transaction) -> ListPage[PageStatus]:
            source = SourceRecords(tx).find(actor.workspace_id, source_id)
            if source.run is None:
                return ListPage(items=())
            return CrawlPageRecords(tx).pages(source.run.id, page, status)

        return await self._records.of_workspace(actor.workspace_id).read(work)


def _latest_run(tx: Transaction, actor: Actor, source_id: UUID) -> CrawlRun:
    """Raises NotFound, also before the first."""
    source = SourceRecords(tx).find(actor.workspace_id, source_id)
    if source.run is None:
        raise NotFound("crawl run")
    return source.run


def _check_unfinished(run: CrawlRun) -> None:
    if run.state in ENDED_STATES:
        raise InvalidInput("source_id", f"Its crawl has ended ({run.state.value}). Sync the source to read it again.")
