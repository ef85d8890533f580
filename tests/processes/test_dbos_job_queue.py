"""Jobs on a real DBOS with SQLite: what survives failures, orderly ends and kill -9."""

import json
import threading
from pathlib import Path
from uuid import uuid4

import anyio

from app.core.errors import DatabaseAway
from app.sources.runs.jobs.dbos_job_queue import DbosJobQueue
from app.sources.runs.jobs.dbos_worker import MAX_ATTEMPTS
from app.store.system_of_record import SystemOfRecord
from tests.processes.recording_handlers import RecordingHandlers, set_jobs, working


async def test_a_job_is_done_once_however_often_it_is_asked_for(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers
) -> None:
    run_id, agent_id = uuid4(), uuid4()
    await queue.crawl(agent_id, run_id)
    await queue.crawl(agent_id, run_id)

    async with working(url, record, handlers):
        await handlers.until_called(1)
        await queue.crawl(agent_id, run_id)
        await queue.finish_deletions(agent_id, uuid4())
        await handlers.until_called(2)

    assert handlers.calls == [("crawl", run_id), ("finish deletions", agent_id)]


async def test_each_leg_of_a_run_is_a_job_of_its_own(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers
) -> None:
    run_id, agent_id = uuid4(), uuid4()
    async with working(url, record, handlers):
        await queue.crawl(agent_id, run_id)
        await handlers.until_called(1)
        await queue.crawl(agent_id, run_id, 2)
        await handlers.until_called(2)

    assert handlers.calls == [("crawl", run_id), ("crawl, leg 2", run_id)]


async def test_upkeep_does_not_wait_for_a_long_reading(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers
) -> None:
    handlers.is_hanging = True
    async with working(url, record, handlers):
        for _ in range(4):
            await queue.crawl(uuid4(), uuid4())
        await handlers.until_called(2)
        await queue.reconcile_agent(uuid4())
        await handlers.until_called(3)

    assert [what for what, _ in handlers.calls] == ["crawl", "crawl", "reconcile"]


async def test_a_worker_indexes_an_agent_again_as_often_as_it_is_asked(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers
) -> None:
    agent_id = uuid4()
    async with working(url, record, handlers):
        await queue.reindex_agent(agent_id)
        await queue.reindex_agent(agent_id)
        await handlers.until_called(2)
    assert handlers.calls == [("reindex", agent_id)] * 2


async def test_a_job_that_fails_is_tried_again(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers
) -> None:
    handlers.failures = 2
    async with working(url, record, handlers):
        await queue.crawl(uuid4(), uuid4())
        await handlers.until_called(3)

    assert not handlers.given_up


async def test_a_job_that_goes_on_failing_is_given_up_with_its_reason(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers
) -> None:
    handlers.failures = 99
    run_id = uuid4()
    async with working(url, record, handlers):
        await queue.crawl(uuid4(), run_id)
        await handlers.until_given_up()

    assert len(handlers.calls) == MAX_ATTEMPTS
    assert handlers.given_up == {run_id: "The vectors cannot be written."}


async def test_a_database_that_is_away_uses_up_no_attempt(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers
) -> None:
    handlers.failures, handlers.failure = MAX_ATTEMPTS + 2, DatabaseAway("It restarts.")
    async with working(url, record, handlers):
        await queue.crawl(uuid4(), uuid4())
        await handlers.until_called(MAX_ATTEMPTS + 3)

    assert not handlers.given_up


async def test_a_job_that_cannot_be_given_up_now_is_given_up_when_the_database_is_back(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers
) -> None:
    handlers.failures, handlers.is_away_when_given_up = MAX_ATTEMPTS, True
    run_id = uuid4()
    async with working(url, record, handlers):
        await queue.crawl(uuid4(), run_id)
        await handlers.until_given_up()

    assert handlers.given_up == {run_id: "The vectors cannot be written."}


async def test_a_worker_that_ends_in_good_order_hands_its_work_back(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers, tmp_path: Path
) -> None:
    run_id = uuid4()
    handlers.is_hanging = True
    await queue.crawl(uuid4(), run_id)
    set_jobs(tmp_path, attributes=json.dumps({"dead_workers": list("abcde")}))  # a restart is no further one

    async with working(url, record, handlers, "first"):
        await handlers.until_called(1)
    async with working(url, record, handlers, "second"):
        await handlers.until_called(2)

    assert handlers.calls == [("crawl", run_id)] * 2
    assert not handlers.given_up


async def test_a_worker_that_stopped_leaves_no_thread_behind(
    url: str, record: SystemOfRecord, handlers: RecordingHandlers
) -> None:
    async with working(url, record, handlers):
        pass

    assert not [thread.name for thread in threading.enumerate() if "dbos" in thread.name.lower()]


async def test_processes_that_start_together_share_one_new_queue(url: str) -> None:
    queues = [DbosJobQueue(url) for _ in range(4)]

    async with anyio.create_task_group() as tasks:
        for one in queues:
            tasks.start_soon(one.crawl, uuid4(), uuid4())

    for one in queues:
        await one.aclose()


async def test_the_first_worker_looks_for_due_runs_again_and_again(
    url: str, record: SystemOfRecord, handlers: RecordingHandlers
) -> None:
    async with working(url, record, handlers):
        await handlers.until_looked(3)
