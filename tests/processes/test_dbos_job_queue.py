"""Jobs on a real DBOS with SQLite: what survives failures, orderly ends and kill -9."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import anyio
import pytest
from dbos._sys_db import SystemDatabase
from sqlalchemy.exc import OperationalError

from app.agents.agent import AgentConfig
from app.agents.records.agents import AgentRecords
from app.core.errors import DatabaseAway, IndexUnavailable
from app.core.list_page import PageRequest
from app.kit.job_handlers import JobHandlers
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources.records.sources import SourceRecords
from app.sources.runs.jobs.dbos_job_queue import DbosJobQueue
from app.sources.runs.jobs.dbos_worker import MAX_ATTEMPTS, DbosWorker
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import CrawlRun, RunState, SourceConfig, SourceKind
from app.store.processes import ProcessRecords
from app.store.system_of_record import SystemOfRecord
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.temporary_record import temporary_record

pytestmark = pytest.mark.timeout(60)
PATIENCE_SECONDS = 30


class RecordingHandlers:
    """Notes what it is asked to do. It raises `failure` while `failures` are left, and hangs while `is_hanging`."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, UUID]] = []
        self.given_up: dict[UUID, str] = {}
        self.failures = 0
        self.failure: Exception = IndexUnavailable("The vectors cannot be written.")
        self.looked_for_due_runs = 0
        self.is_hanging = False
        self.is_away_when_given_up = False  # the database, once
        self._changed = anyio.Event()

    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        await self._note("crawl" if leg == 1 else f"crawl, leg {leg}", run_id)

    async def start_due_runs(self) -> None:
        self.looked_for_due_runs += 1
        self._tell()

    async def give_up_crawl(self, run_id: UUID, reason: str) -> None:
        if self.is_away_when_given_up:
            self.is_away_when_given_up = False
            raise DatabaseAway("It restarts.")
        self.given_up[run_id] = reason
        self._tell()

    async def finish_deletions(self, agent_id: UUID) -> None:
        await self._note("finish deletions", agent_id)

    async def reconcile_agent(self, agent_id: UUID) -> None:
        await self._note("reconcile", agent_id)

    async def until_called(self, times: int) -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            while len(self.calls) < times:
                await self._changed.wait()

    async def until_looked(self, times: int) -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            while self.looked_for_due_runs < times:
                await self._changed.wait()

    async def until_given_up(self) -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            while not self.given_up:
                await self._changed.wait()

    async def _note(self, what: str, whom: UUID) -> None:
        self.calls.append((what, whom))
        self._tell()
        if self.is_hanging:
            await anyio.sleep_forever()
        if self.failures:
            self.failures -= 1
            raise self.failure

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'jobs.sqlite'}"


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[SystemOfRecord]:
    """On a clock that stands still: who has beaten once lives, who never has is dead."""
    async with temporary_record(tmp_path, FixedClock()) as opened:
        yield opened


@pytest.fixture
async def queue(url: str) -> AsyncIterator[DbosJobQueue]:
    async with DbosJobQueue(url) as opened:
        yield opened


@pytest.fixture
def handlers() -> RecordingHandlers:
    return RecordingHandlers()


@asynccontextmanager
async def working(
    url: str, record: SystemOfRecord, handlers: JobHandlers, name: str = "worker-1", dead_after_seconds: int = 1
) -> AsyncIterator[DbosWorker]:
    async with DbosWorker(
        url,
        name,
        handlers,
        record,
        heartbeat_seconds=0.1,
        dead_after_seconds=dead_after_seconds,
        retry_seconds=0.01,
        polling_seconds=0.05,
    ) as worker:
        yield worker


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
    set_jobs(tmp_path, attributes=f'{{"attempts": {MAX_ATTEMPTS}}}')  # a restart is no further one

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


async def test_a_run_that_never_reached_the_queue_is_found(
    url: str, record: SystemOfRecord, handlers: RecordingHandlers
) -> None:
    run = await a_run(record)

    async with working(url, record, handlers):
        await handlers.until_called(1)

    assert handlers.calls == [("crawl", run.id)]


async def test_the_work_of_a_dead_worker_is_taken_over(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers, tmp_path: Path
) -> None:
    run_id = uuid4()
    await queue.crawl(uuid4(), run_id)
    leave_to_the_dead(tmp_path, attempts=MAX_ATTEMPTS - 1)

    async with working(url, record, handlers):
        await handlers.until_called(1)

    assert handlers.calls == [("crawl", run_id)]


async def test_work_that_kills_its_workers_is_given_up(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers, tmp_path: Path
) -> None:
    run_id = uuid4()
    await queue.crawl(uuid4(), run_id)
    leave_to_the_dead(tmp_path, attempts=MAX_ATTEMPTS)

    async with working(url, record, handlers):
        await handlers.until_given_up()

    assert handlers.calls == []
    assert f"died {MAX_ATTEMPTS} times" in handlers.given_up[run_id]


async def test_the_work_of_a_living_worker_is_left_alone(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers, tmp_path: Path
) -> None:
    await queue.crawl(uuid4(), uuid4())
    leave_to_the_dead(tmp_path, attempts=1)
    with record.writing() as tx:
        ProcessRecords(tx).beat("dead", "worker")

    async with working(url, record, handlers, "alive", dead_after_seconds=60):
        await queue.finish_deletions(uuid4(), uuid4())
        await handlers.until_called(1)

    assert [what for what, _ in handlers.calls] == ["finish deletions"]


@pytest.mark.parametrize("failures", [pytest.param(1, id="the error was stored"), pytest.param(2, id="nothing was")])
async def test_a_job_whose_end_could_not_be_stored_is_taken_up_again(
    url: str,
    record: SystemOfRecord,
    queue: DbosJobQueue,
    handlers: RecordingHandlers,
    monkeypatch: pytest.MonkeyPatch,
    failures: int,
) -> None:
    """Its worker lives, so nobody else looks after it."""
    store, lost = SystemDatabase.update_workflow_outcome, 0

    def fail_at_first(self: SystemDatabase, *args: Any, **kwargs: Any) -> bool:
        nonlocal lost
        if lost < failures:
            lost += 1
            raise OperationalError("", None, Exception("connection is bad: it restarts"))
        return store(self, *args, **kwargs)

    monkeypatch.setattr(SystemDatabase, "update_workflow_outcome", fail_at_first)
    run_id = uuid4()
    async with working(url, record, handlers):
        await queue.crawl(uuid4(), run_id)
        await handlers.until_called(2)

    assert handlers.calls == [("crawl", run_id)] * 2


async def test_processes_that_start_together_share_one_new_queue(url: str) -> None:
    queues = [DbosJobQueue(url) for _ in range(4)]

    async with anyio.create_task_group() as tasks:
        for one in queues:
            tasks.start_soon(one.crawl, uuid4(), uuid4())

    for one in queues:
        await one.aclose()


async def test_a_crawl_goes_on_where_a_killed_worker_was(tmp_path: Path, record: SystemOfRecord) -> None:
    run = await a_run(record)
    with worker_process(tmp_path, "first", "https://shop.example/4") as (first, lines):
        read_first = await until(lines, "https://shop.example/4")
        first.kill()
    with worker_process(tmp_path, "second") as (_, lines):
        read_second = await until(lines, "https://shop.example/9")
        await until_ended(record, run.id)

    assert read_first == [f"https://shop.example/{n}" for n in range(5)]
    assert read_second == [f"https://shop.example/{n}" for n in range(4, 10)]
    with record.reading() as tx:
        ended = CrawlRunRecords(tx).run(run.id)
        documents = LiveDocumentRecords(tx).page(run.agent_id, PageRequest(50))
        left = DocumentRecords(tx).pending_versions()
    assert (ended.state, ended.counts) == (RunState.FINISHED, {"indexed": 10})
    assert [document.url for document in documents.items] == [f"https://shop.example/{n}" for n in range(10)]
    assert not left


async def a_run(record: SystemOfRecord) -> CrawlRun:
    with record.writing() as tx:
        agent = AgentRecords(tx).create(TokenRecords(tx).default_workspace(), AgentConfig(name="Help"))
        source = SourceRecords(tx).create(agent.id, SourceConfig(SourceKind.SITE, "Shop", url="https://shop.example/"))
        return CrawlRunRecords(tx).start_run(agent.id, source.id)


def leave_to_the_dead(folder: Path, attempts: int) -> None:
    """As if a worker named "dead" had begun every job and been killed."""
    set_jobs(
        folder,
        status="PENDING",
        executor_id="dead",
        application_version="1",
        attributes=f'{{"attempts": {attempts}}}',
    )


def set_jobs(folder: Path, **columns: str) -> None:
    assignments = ", ".join(f"{name} = ?" for name in columns)
    with closing(sqlite3.connect(folder / "jobs.sqlite")) as connection, connection:
        connection.execute(f"UPDATE workflow_status SET {assignments}", tuple(columns.values()))


@contextmanager
def worker_process(folder: Path, *args: str) -> Iterator[tuple[subprocess.Popen[str], Iterator[str]]]:
    command = [sys.executable, "-m", "tests.sources.crawl_worker_process", str(folder), *args]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield process, (line.strip() for line in process.stdout)
            process.stdin.close()
            process.wait(PATIENCE_SECONDS)
        finally:
            process.kill()


async def until(lines: Iterator[str], url: str) -> list[str]:
    """The URLs that the process read, up to this one."""

    def read() -> list[str]:
        urls: list[str] = []
        for line in lines:
            if line.startswith("reading "):
                urls.append(line.removeprefix("reading "))
            if urls and urls[-1] == url:
                break
        return urls

    return await anyio.to_thread.run_sync(read)


async def until_ended(record: SystemOfRecord, run_id: UUID) -> None:
    with anyio.fail_after(PATIENCE_SECONDS):
        while True:
            with record.reading() as tx:
                if CrawlRunRecords(tx).run(run_id).state is RunState.FINISHED:
                    return
            await anyio.sleep(0.02)


async def test_the_first_worker_looks_for_due_runs_again_and_again(
    url: str, record: SystemOfRecord, handlers: RecordingHandlers
) -> None:
    async with working(url, record, handlers):
        await handlers.until_looked(3)
