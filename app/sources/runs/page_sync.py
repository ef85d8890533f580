"""Some pages of a source read now: they were published, changed or taken away."""

from collections.abc import Sequence
from uuid import UUID

from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.kit.job_queue import JobQueue
from app.sources.records.sources import SourceRecords
from app.sources.runs.page_scope import PageScope
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.schedules import check_kind
from app.sources.source import CrawlRun, RunState
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords

MAX_URLS = 500


class PageSync:
    def __init__(self, records: SystemOfRecord, jobs: JobQueue, scope: PageScope) -> None:
        self._records = records
        self._jobs = jobs
        self._scope = scope

    async def pages(self, actor: Actor, source_id: UUID, urls: Sequence[str]) -> CrawlRun:
        """Have these pages read and no others. A reading that is under way takes them along; a paused one keeps them
        until it goes on. Raises NotFound, and InvalidInput for an address that is not the source's."""
        if not 1 <= len(urls) <= MAX_URLS:
            raise InvalidInput("urls", f"Name 1 to {MAX_URLS} addresses. For the whole source leave urls out.")
        config = await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: SourceRecords(tx).find(actor.workspace_id, source_id).config
        )
        check_kind(config)
        pages = self._scope.canonical(config, urls)

        def work(tx: Transaction) -> CrawlRun:
            source = SourceRecords(tx).find(actor.workspace_id, source_id)
            run = CrawlRunRecords(tx).start_run(source.agent_id, source.id, only_asked=True)
            CrawlPageRecords(tx).ask_again(run.id, pages)
            AuditRecords(tx).acted(actor, "source.sync_pages", source_id, run_id=str(run.id), pages=len(pages))
            return CrawlRunRecords(tx).run(run.id)

        run = await self._records.of_workspace(actor.workspace_id).write(work)
        if run.state is not RunState.PAUSED:
            await self._jobs.crawl(run.agent_id, run.id, run.leg)
        return run
