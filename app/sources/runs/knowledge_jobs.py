"""A worker's handlers for jobs about knowledge."""

from dataclasses import dataclass
from uuid import UUID

import structlog

from app.core.errors import NotFound
from app.kit.clock import Clock
from app.kit.tracing import traced
from app.kit.wiring import Wired
from app.knowledge.reconcile import Reconcile, ReconcileReport
from app.knowledge.reindex import Reindex
from app.sources.cron_calendar import CronCalendar
from app.sources.deletions.deletions import FinishDeletions
from app.sources.records import ScheduleRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.run_execution import RunExecution
from app.sources.source import CrawlRun, next_run
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)


class RunScheduler(Wired):
    """Starts the readings that schedules require."""

    _record: SystemOfRecord
    _calendar: CronCalendar
    _clock: Clock

    async def start(self) -> int:
        """Queue a run for every source whose reading is due; return how many. If several workers look at the same time,
        one of them does so. A source with a queued, running or paused run gets no second one."""
        now = self._clock.now()
        due = await self._record.read(lambda tx: ScheduleRecords(tx).due(now))
        started = 0
        for reading in due:
            then = next_run(reading.schedule, reading.source_id, reading.set_at, now, self._calendar.first_after)

            def work(tx: Transaction) -> CrawlRun | None:
                if not ScheduleRecords(tx).move_on(reading, then):
                    return None
                return CrawlRunRecords(tx).start_run(reading.agent_id, reading.source_id)

            try:
                run = await self._record.of_agent(reading.agent_id).write(work)
            except NotFound:
                continue  # deleted meanwhile
            if run is None:
                continue
            log.info("run.was_due", source_id=str(reading.source_id), run_id=str(run.id), next_at=then.isoformat())
            started += 1
        return started


@dataclass(frozen=True, slots=True)
class KnowledgeJobs:
    """Implements `JobHandlers`."""

    _execution: RunExecution
    _scheduler: RunScheduler
    _reconcile: Reconcile
    _reindex: Reindex
    _deletions: FinishDeletions

    @traced("docent.job.mend", "consumer")
    async def mend(self) -> ReconcileReport:
        """Repair all agents' knowledge after a crash. A worker calls this when it starts."""
        await self._deletions.all_agents()
        return await self._reconcile.all_agents()

    @traced("docent.job.crawl", "consumer")
    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        await self._reconcile.agent(agent_id)
        await self._execution.read(run_id, leg)

    async def start_due_runs(self) -> None:
        await self._scheduler.start()

    async def give_up_crawl(self, run_id: UUID, reason: str) -> None:
        await self._execution.fail(run_id, reason)

    @traced("docent.job.finish_deletions", "consumer")
    async def finish_deletions(self, agent_id: UUID) -> None:
        await self._deletions.agent(agent_id)

    @traced("docent.job.reconcile_agent", "consumer")
    async def reconcile_agent(self, agent_id: UUID) -> None:
        await self._reconcile.finish_agent(agent_id)

    @traced("docent.job.reindex_agent", "consumer")
    async def reindex_agent(self, agent_id: UUID) -> None:
        async for _ in self._reindex.agent(agent_id):
            pass
