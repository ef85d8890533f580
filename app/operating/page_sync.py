"""Some pages of a source read now: they were published, changed or taken away."""

from collections.abc import Sequence
from uuid import UUID

from app.domain.errors import InvalidInput
from app.domain.source import CrawlRun, RunState
from app.operating.actor import Actor
from app.operating.schedules import check_kind
from app.ports.job_queue import JobQueue
from app.ports.page_scope import PageScope
from app.store.audit import AuditRecords
from app.store.crawl_pages import CrawlPageRecords
from app.store.crawl_runs import CrawlRunRecords
from app.store.sources import SourceRecords
from app.store.system_of_record import SystemOfRecord

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
        async with self._records.read() as tx:
            config = (await SourceRecords(tx).find(actor.workspace_id, source_id)).config
        check_kind(config)
        pages = self._scope.canonical(config, urls)
        async with self._records.write() as tx:
            source = await SourceRecords(tx).find(actor.workspace_id, source_id)
            run = await CrawlRunRecords(tx).start_run(source.agent_id, source.id, only_asked=True)
            await CrawlPageRecords(tx).ask_again(run.id, pages)
            await AuditRecords(tx).record(
                actor.workspace_id,
                actor.name,
                "source.sync_pages",
                str(source_id),
                {"run_id": str(run.id), "pages": len(pages)},
            )
            run = await CrawlRunRecords(tx).run(run.id)
        if run.state is not RunState.PAUSED:
            await self._jobs.crawl(run.agent_id, run.id, run.leg)
        return run
