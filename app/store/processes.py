"""Tracks which of our processes are alive: by heartbeats in the database's clock, because their own clocks may differ,
and on one machine by locks. Also measures this process's resources for /metrics."""

import asyncio
import fcntl
import math
import os
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import ColumnElement, Engine, func, select, type_coerce
from sqlalchemy.pool import QueuePool

from app.store.schema import UtcDateTime
from app.store.tables.agents import PROCESSES
from app.store.transaction import Repository, Transaction

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


def database_time(dialect: str, *, seconds_ago: int = 0) -> ColumnElement[datetime]:
    """The database's current time, or `seconds_ago` before it, as an expression: one clock for all processes. SQLite's
    is that of its machine, in milliseconds, in the format of UtcDateTime."""
    if dialect == "postgresql":
        moment = func.clock_timestamp() - func.make_interval(0, 0, 0, 0, 0, 0, seconds_ago)
    else:
        moment = func.strftime("%Y-%m-%d %H:%M:%f", "now", f"-{seconds_ago} seconds").concat("000")
    return type_coerce(moment, UtcDateTime())


class ServerFacts(Repository):
    def name_and_time(self) -> tuple[str, datetime]:
        """The database's name with its version, such as "PostgreSQL 15.8", and its time."""
        now = self._connection.execute(select(database_time(self._dialect))).scalar_one()
        numbers = self._connection.dialect.server_version_info or ()
        name = "PostgreSQL" if self._dialect == "postgresql" else "SQLite"
        return f"{name} {'.'.join(str(number) for number in numbers)}", now


# A process answers, takes jobs, or both, with a name for each, because workers answer mails.
WEB: Final = "web"
WORKER: Final = "worker"
DEAD_AFTER_SECONDS: Final = {WEB: 20, WORKER: 15}  # without a heartbeat


class ProcessRecords(Repository):
    """Heartbeats. `name` is unique to one start of a process."""

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
        """Remove a process that ends normally."""
        self._delete(PROCESSES, PROCESSES.c.name == name)

    def living(self, kind: str) -> set[str]:
        """Names of the processes of a kind that live."""
        return set(self.beaten_within(DEAD_AFTER_SECONDS[kind], kind))

    def beaten_within(self, seconds: int, kind: str) -> dict[str, float]:
        """The processes whose last beat is within that time, with the seconds since."""
        now, since = self._database_time(), self._database_time(seconds)
        beats = select(PROCESSES.c.name, PROCESSES.c.beaten_at, now).where(
            PROCESSES.c.kind == kind, PROCESSES.c.beaten_at >= since
        )
        return {name: (at - beaten_at).total_seconds() for name, beaten_at, at in self._connection.execute(beats)}

    def _database_time(self, seconds_ago: int = 0) -> ColumnElement[datetime]:
        return database_time(self._dialect, seconds_ago=seconds_ago)


class Liveness:
    """Whether one process lives, and which others of its kind it may take for dead."""

    def __init__(self, name: str, kind: str, dead_after_seconds: int | None = None) -> None:
        self.silent_seconds = 0.0  # before the last beat
        self._name = name
        self._kind = kind
        self._dead_after_seconds = dead_after_seconds or DEAD_AFTER_SECONDS[kind]

    def beat(self, tx: Transaction) -> None:
        self.silent_seconds = ProcessRecords(tx).beat(self._name, self._kind)

    def living(self, tx: Transaction) -> Collection[str] | None:
        """The names of living processes, with its own. None after a silence of its own, until its second beat: what
        paused it, such as a database that was down, may have paused the others, too."""
        living = ProcessRecords(tx).beaten_within(self._dead_after_seconds, self._kind)
        seconds = self.silent_seconds + living.get(self._name, math.inf)
        return None if seconds > self._dead_after_seconds / 2 else living


def process_metrics(engine: Engine) -> "CollectorRegistry":
    """A registry with the metrics of this process, each measured when it is read; callers add theirs. Call it inside
    the event loop whose tasks are counted."""
    from prometheus_client import CollectorRegistry, Gauge, ProcessCollector, disable_created_metrics

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


_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_LEFT_BEHIND_SECONDS: Final = 86_400.0


class ProcessFiles:
    """Finds this machine's dead processes: each living one holds a lock on a file of its own, which the system releases
    however the process ends.

    Several machines may share the folder, so only locks made by the running system are believed: others' may be
    invisible here. Where there are no locks, or no way to name the running system, nobody is found dead.
    """

    def __init__(self, folder: Path, *, boot: Path = _BOOT) -> None:
        self._folder = folder
        self._boot = boot.read_bytes() if boot.exists() else b""

    @contextmanager
    def held(self, process: str) -> Iterator[None]:
        """Hold the process's lock, which shows that it is alive, while the block runs."""
        descriptor, path = -1, self._folder / process
        try:
            with suppress(OSError):  # its death is then noticed only by missing heartbeats
                descriptor = self._locked(path)
            yield
        finally:
            if descriptor >= 0:
                path.unlink(missing_ok=True)
                os.close(descriptor)

    def dead(self) -> list[str]:
        """Names of processes that died since this system started and whose file has not been removed."""
        return [each.name for each in self._files() if self._is_dead(each)]

    def remove(self, processes: list[str]) -> None:
        """Remove the files of these dead processes, and those that an earlier start of the system left a day ago."""
        for name in processes:
            (self._folder / name).unlink(missing_ok=True)
        for each in self._files():
            with suppress(OSError):
                if each.read_bytes() != self._boot and time.time() - each.stat().st_mtime > _LEFT_BEHIND_SECONDS:
                    each.unlink()

    def _locked(self, path: Path) -> int:
        """Create a locked file, named only once it is locked: an unlocked one would be a dead process's."""
        self._folder.mkdir(exist_ok=True)
        new = path.with_name(f".{path.name}")
        descriptor = os.open(new, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(descriptor, self._boot)
            new.rename(path)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def _files(self) -> list[Path]:
        with suppress(OSError):
            return [each for each in self._folder.iterdir() if not each.name.startswith(".")]
        return []

    def _is_dead(self, path: Path) -> bool:
        with suppress(OSError), path.open("rb") as file:
            if self._boot and file.read() == self._boot:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
        return False
