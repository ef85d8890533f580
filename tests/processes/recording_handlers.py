"""A worker whose jobs are noted instead of done."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from uuid import UUID

import anyio

from app.core.errors import DatabaseAway, IndexUnavailable
from app.kit.job_queue import JobHandlers
from app.sources.runs.jobs.dbos_worker import DbosWorker
from app.store.system_of_record import SystemOfRecord

PATIENCE_SECONDS = 300


class RecordingHandlers:
    """Notes what it is asked to do. It raises `failure` while `failures` are left, and hangs while `is_hanging`."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, UUID]] = []
        self.given_up: dict[UUID, str] = {}
        self.failures = 0
        self.failure: Exception = IndexUnavailable("The vectors cannot be written.")
        self.looked_for_due_runs = 0
        self.is_hanging = False
        self.is_slow_to_look = False  # for runs that are due
        self.is_away_when_given_up = False  # the database, once
        self._changed = anyio.Event()

    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        await self._note("crawl" if leg == 1 else f"crawl, leg {leg}", run_id)

    async def start_due_runs(self) -> None:
        self.looked_for_due_runs += 1
        self._tell()
        if self.is_slow_to_look:
            await anyio.sleep_forever()

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

    async def reindex_agent(self, agent_id: UUID) -> None:
        await self._note("reindex", agent_id)

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


def set_jobs(folder: Path, **columns: str) -> None:
    """Write to the rows of all jobs."""
    assignments = ", ".join(f"{name} = ?" for name in columns)
    with closing(sqlite3.connect(folder / "jobs.sqlite")) as connection, connection:
        connection.execute(f"UPDATE workflow_status SET {assignments}", tuple(columns.values()))
