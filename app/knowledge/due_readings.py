"""Starts the readings that schedules ask for."""

import structlog

from app.domain.errors import NotFound
from app.domain.reading_schedule import next_reading
from app.ports.clock import Clock
from app.ports.cron_calendar import CronCalendar
from app.store.crawl_runs import CrawlRunRecords
from app.store.schedules import ScheduleRecords
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)


class DueReadings:
    def __init__(self, record: SystemOfRecord, calendar: CronCalendar, clock: Clock) -> None:
        self._record = record
        self._calendar = calendar
        self._clock = clock

    async def start(self) -> int:
        """Queue a run for every source whose reading is due; return how many. Of several workers that look at the
        same time one does so. A source that waits, is being read or is paused keeps its run: no second one."""
        now = self._clock.now()
        async with self._record.read() as tx:
            due = await ScheduleRecords(tx).due(now)
        started = 0
        for reading in due:
            then = next_reading(reading.schedule, reading.source_id, reading.set_at, now, self._calendar.first_after)
            try:
                async with self._record.write() as tx:
                    if not await ScheduleRecords(tx).move_on(reading, then):
                        continue
                    run = await CrawlRunRecords(tx).start_run(reading.agent_id, reading.source_id)
            except NotFound:
                continue  # deleted since
            log.info("reading_was_due", source_id=str(reading.source_id), run_id=str(run.id), next_at=then.isoformat())
            started += 1
        return started
