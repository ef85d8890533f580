"""A schedule's due time is one reading, however many workers look."""

from datetime import timedelta

import anyio

from app.sources.cron_calendar import CronCalendar
from app.sources.records import ScheduleRecords, SourceRecords
from app.sources.runs.knowledge_jobs import RunScheduler
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import CrawlRun, RunState, Schedule, jitter, next_run
from tests.knowledge.knowledge_house import KnowledgeHouse

DAY = 24 * 3600
DAILY = Schedule(every_hours=24)


def scheduler(house: KnowledgeHouse) -> RunScheduler:
    return RunScheduler(house.record, CronCalendar(), house.clock)


async def schedule(house: KnowledgeHouse, asked: Schedule = DAILY) -> None:
    now = house.clock.now()
    next_at = next_run(asked, house.source.id, now, now, CronCalendar().first_after)
    await house.record.write(lambda tx: ScheduleRecords(tx).set(house.source.id, asked, next_at))


async def latest_run(house: KnowledgeHouse) -> CrawlRun | None:
    return await house.record.read(lambda tx: SourceRecords(tx).source(house.agent_id, house.source.id).run)


async def end_run(house: KnowledgeHouse, state: RunState = RunState.FINISHED) -> None:
    run = await latest_run(house)
    assert run is not None
    await house.record.write(lambda tx: CrawlRunRecords(tx).set_run_state(run.id, state))


async def test_a_reading_begins_when_it_is_due_and_not_before(house: KnowledgeHouse) -> None:
    await schedule(house)
    assert await scheduler(house).start() == 0
    house.clock.advance(DAY - 1)
    assert await scheduler(house).start() == 0
    assert await latest_run(house) is None

    house.clock.advance(1 + jitter(house.source.id, timedelta(hours=1)).total_seconds())
    assert await scheduler(house).start() == 1

    run = await latest_run(house)
    assert run is not None
    assert run.state is RunState.QUEUED


async def test_workers_that_look_at_once_start_one_reading(house: KnowledgeHouse) -> None:
    await schedule(house)
    house.clock.advance(DAY + 3600)
    started: list[int] = []

    async def look() -> None:
        started.append(await scheduler(house).start())

    async with anyio.create_task_group() as workers:
        for _ in range(5):
            workers.start_soon(look)

    assert sum(started) == 1
    await end_run(house)
    assert await scheduler(house).start() == 0


async def test_days_without_a_worker_are_made_up_for_by_one_reading(house: KnowledgeHouse) -> None:
    await schedule(house)
    house.clock.advance(10 * DAY + 3600)
    assert await scheduler(house).start() == 1
    await end_run(house)
    assert await scheduler(house).start() == 0
    house.clock.advance(DAY)
    assert await scheduler(house).start() == 1


async def test_a_paused_source_is_not_started_again(house: KnowledgeHouse) -> None:
    await schedule(house)
    house.clock.advance(DAY + 3600)
    await scheduler(house).start()
    await end_run(house, RunState.PAUSED)
    paused = await latest_run(house)

    house.clock.advance(DAY)
    await scheduler(house).start()

    assert await latest_run(house) == paused


async def test_a_source_without_a_schedule_waits_for_somebody_to_ask(house: KnowledgeHouse) -> None:
    await schedule(house)
    with house.record.writing() as tx:
        ScheduleRecords(tx).clear(house.source.id)
    house.clock.advance(3 * DAY)
    assert await scheduler(house).start() == 0


async def test_a_schedule_ends_with_its_source(house: KnowledgeHouse) -> None:
    await schedule(house)
    await house.retire.source(house.agent_id, house.source.id)
    house.clock.advance(3 * DAY)
    assert await scheduler(house).start() == 0
