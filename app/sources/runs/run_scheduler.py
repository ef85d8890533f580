"""Starts the readings that schedules ask for."""

import structlog

from app.core.errors import NotFound
from app.kit.clock import Clock
from app.sources.cron_calendar import CronCalendar
from app.sources.records.sources import ScheduleRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import CrawlRun, next_run
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)


class RunScheduler:
    def __init__(self, record: SystemOfRecord, calendar: CronCalendar, clock: Clock) -> None:
        self._record = record
        self._calendar = calendar
        self._clock = clock

    async def start(self) -> int:
        """Queue a run for every source whose reading is due; return how many. Of several workers that look at the
        same time one does so. A source that waits, is being read or is paused keeps its run: no second one."""
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
                continue  # deleted since
            if run is None:
                continue
            log.info("run.was_due", source_id=str(reading.source_id), run_id=str(run.id), next_at=then.isoformat())
            started += 1
        return started
