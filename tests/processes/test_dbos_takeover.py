"""Work that nobody does any more is taken over: what survives kill -9, on a real DBOS with SQLite."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import anyio
import pytest
from dbos._sys_db import SystemDatabase
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.core.errors import DatabaseAway
from app.core.list_page import PageRequest
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.runs.jobs.dbos_job_queue import DbosJobQueue
from app.sources.runs.jobs.dbos_worker import MAX_ATTEMPTS
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import CrawlRun, RunState, SourceConfig
from app.store.processes import ProcessRecords
from app.store.system_of_record import SystemOfRecord
from app.store.tables.agents import PROCESSES
from app.store.transaction import Transaction
from app.workspaces.records.tokens import TokenRecords
from tests.processes.recording_handlers import PATIENCE_SECONDS, RecordingHandlers, set_jobs, working


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
    leave_to_the_dead(tmp_path, died_before=MAX_ATTEMPTS - 2)

    async with working(url, record, handlers):
        await handlers.until_called(1)

    assert handlers.calls == [("crawl", run_id)]


async def test_a_worker_that_is_taken_for_dead_again_counts_once(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers, tmp_path: Path
) -> None:
    run_id = uuid4()
    await queue.crawl(uuid4(), run_id)
    leave_to_the_dead(tmp_path, died_before=MAX_ATTEMPTS - 1, again=True)

    async with working(url, record, handlers):
        await handlers.until_called(1)

    assert handlers.calls == [("crawl", run_id)]


async def test_work_that_kills_its_workers_is_given_up(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers, tmp_path: Path
) -> None:
    run_id = uuid4()
    await queue.crawl(uuid4(), run_id)
    leave_to_the_dead(tmp_path, died_before=MAX_ATTEMPTS - 1)

    async with working(url, record, handlers):
        await handlers.until_given_up()

    assert handlers.calls == []
    assert f"crashed {MAX_ATTEMPTS} times" in handlers.given_up[run_id]


async def test_the_work_of_a_living_worker_is_left_alone(
    url: str, record: SystemOfRecord, queue: DbosJobQueue, handlers: RecordingHandlers, tmp_path: Path
) -> None:
    await queue.crawl(uuid4(), uuid4())
    leave_to_the_dead(tmp_path)
    with record.writing() as tx:
        ProcessRecords(tx).beat("dead", "worker")

    async with working(url, record, handlers, "alive", dead_after_seconds=60):
        await queue.finish_deletions(uuid4(), uuid4())
        await handlers.until_called(1)

    assert [what for what, _ in handlers.calls] == ["finish deletions"]


async def test_a_worker_beats_while_it_looks_after_jobs(
    url: str, record: SystemOfRecord, handlers: RecordingHandlers
) -> None:
    async with working(url, record, handlers, "alive"):
        handlers.is_slow_to_look = True
        await handlers.until_looked(handlers.looked_for_due_runs + 1)
        before = last_beat(record, "alive")
        await until(lambda: last_beat(record, "alive") > before)


async def test_a_worker_that_was_silent_itself_takes_nothing_over(
    url: str,
    record: SystemOfRecord,
    queue: DbosJobQueue,
    handlers: RecordingHandlers,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A database that is down silences all workers. The first that beats again must not take the others for dead."""
    await queue.crawl(uuid4(), uuid4())
    leave_to_the_dead(tmp_path)
    with record.writing() as tx:
        ProcessRecords(tx).beat("dead", "worker")
    write, is_down, beats_since = record.write, False, 0

    async def beat_before_the_other(work: Callable[[Transaction], Any]) -> Any:
        nonlocal beats_since
        if is_down:
            raise DatabaseAway("It restarts.")
        beats_since += 1
        if beats_since >= 2:
            await write(lambda tx: ProcessRecords(tx).beat("dead", "worker"))
        return await write(work)

    async with working(url, record, handlers, "alive", dead_after_seconds=2):
        monkeypatch.setattr(record, "write", beat_before_the_other)
        is_down = True
        await until(lambda: not living(record, within_seconds=2))
        is_down, beats_since = False, 0
        await until(lambda: beats_since >= 4)
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


async def test_a_crawl_goes_on_where_a_killed_worker_was(tmp_path: Path, record: SystemOfRecord) -> None:
    run = await a_run(record)
    with worker_process(tmp_path, "first", "https://shop.example/4") as (first, lines):
        read_first = await read_until(lines, "https://shop.example/4")
        first.kill()
    with worker_process(tmp_path, "second") as (_, lines):
        read_second = await read_until(lines, "https://shop.example/9")
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


async def until(holds: Callable[[], bool]) -> None:
    with anyio.fail_after(PATIENCE_SECONDS):
        while not holds():  # noqa: ASYNC110 - the database tells nobody
            await anyio.sleep(0.02)


def living(record: SystemOfRecord, within_seconds: int) -> set[str]:
    with record.reading() as tx:
        return set(ProcessRecords(tx).beaten_within(within_seconds, "worker"))


def last_beat(record: SystemOfRecord, name: str) -> datetime:
    with record.engine.connect() as connection:
        beaten_at: datetime = connection.scalars(select(PROCESSES.c.beaten_at).where(PROCESSES.c.name == name)).one()
        return beaten_at


async def a_run(record: SystemOfRecord) -> CrawlRun:
    with record.writing() as tx:
        agent = AgentRecords(tx).create(TokenRecords(tx).default_workspace(), AgentConfig(name="Help"))
        source = SourceRecords(tx).create(agent.id, SourceConfig(kinds.SITE, "Shop", url="https://shop.example/"))
        return CrawlRunRecords(tx).start_run(agent.id, source.id)


def leave_to_the_dead(folder: Path, *, died_before: int = 0, again: bool = False) -> None:
    """As if a worker named "dead" had begun every job and been killed, after others. `again`: it was one of these."""
    others = [f"dead-{number}" for number in range(died_before - again)] + ["dead"] * again
    set_jobs(
        folder,
        status="PENDING",
        executor_id="dead",
        application_version="1",
        attributes=json.dumps({"dead_workers": others}),
    )


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


async def read_until(lines: Iterator[str], url: str) -> list[str]:
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
    def has_ended() -> bool:
        with record.reading() as tx:
            return CrawlRunRecords(tx).run(run_id).state is RunState.FINISHED

    await until(has_ended)
