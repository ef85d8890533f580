"""Tracks which of our processes are alive, by the database's clock, because their own may differ; and measures the
resources of this one for /metrics."""

import asyncio
from datetime import datetime

from prometheus_client import CollectorRegistry, Gauge, ProcessCollector, disable_created_metrics
from sqlalchemy import ColumnElement, Engine, func, select, type_coerce
from sqlalchemy.pool import QueuePool

from app.store.schema import UtcDateTime
from app.store.tables.agents import PROCESSES
from app.store.transaction import Repository


def database_time(dialect: str, *, seconds_ago: int = 0) -> ColumnElement[datetime]:
    """The time at which the statement runs, or an earlier one of the same clock, for all processes. SQLite's is that of
    its machine, in milliseconds, in the format of UtcDateTime."""
    if dialect == "postgresql":
        moment = func.clock_timestamp() - func.make_interval(0, 0, 0, 0, 0, 0, seconds_ago)
    else:
        moment = func.strftime("%Y-%m-%d %H:%M:%f", "now", f"-{seconds_ago} seconds").concat("000")
    return type_coerce(moment, UtcDateTime())


class ServerFacts(Repository):
    def told(self) -> tuple[str, datetime]:
        """The database's name with its version, such as "PostgreSQL 15.8", and its time."""
        now = self._connection.execute(select(database_time(self._dialect))).scalar_one()
        numbers = self._connection.dialect.server_version_info or ()
        name = "PostgreSQL" if self._dialect == "postgresql" else "SQLite"
        return f"{name} {'.'.join(str(number) for number in numbers)}", now


class ProcessRecords(Repository):
    """`name` is unique to one start of a process; `kind` is "web" or "worker"."""

    def beat(self, name: str, kind: str) -> float:
        """Record that the process is alive now. Returns the seconds since its last beat, 0 at its first."""
        now = self._database_time()
        last = self._connection.execute(select(PROCESSES.c.beaten_at, now).where(PROCESSES.c.name == name)).first()
        statement = self._insert(PROCESSES).values(name=name, kind=kind, started_at=now, beaten_at=now)
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=["name"], set_={"kind": kind, "beaten_at": now})
        )
        return max(0.0, (last[1] - last[0]).total_seconds()) if last else 0.0

    def leave(self, name: str) -> None:
        """The process ends normally."""
        self._delete(PROCESSES, PROCESSES.c.name == name)

    def living(self, kind: str, within_seconds: int) -> set[str]:
        """Names of processes whose last beat is within that time."""
        since = self._database_time(within_seconds)
        statement = select(PROCESSES.c.name).where(PROCESSES.c.kind == kind, PROCESSES.c.beaten_at >= since)
        return set(self._connection.scalars(statement))

    def _database_time(self, seconds_ago: int = 0) -> ColumnElement[datetime]:
        return database_time(self._dialect, seconds_ago=seconds_ago)


def process_metrics(engine: Engine) -> CollectorRegistry:
    """A registry with these metrics, each measured when it is read; callers add theirs. Call it inside the event loop
    whose tasks are counted."""
    disable_created_metrics()  # type: ignore[no-untyped-call]  # a series more for each, which no rule or dashboard reads
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    loop = asyncio.get_running_loop()
    tasks = Gauge("docent_tasks", "Tasks of the event loop.", registry=registry)
    tasks.set_function(lambda: len(asyncio.all_tasks(loop)))
    in_use = Gauge("docent_record_connections", "Connections to the record that are in use.", registry=registry)
    in_use.set_function(lambda: _in_use(engine))
    return registry


def _in_use(engine: Engine) -> int:
    pool = engine.pool
    return pool.checkedout() if isinstance(pool, QueuePool) else 0
