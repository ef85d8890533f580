"""A real Postgres for the tests: `apt install postgresql`. A machine without one fails them."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import psycopg
from sqlalchemy import make_url

from app.store.engine import open_engine
from app.store.migrate import migrate

ROOT = 0
UNPRIVILEGED = "postgres"  # the account that Debian's package makes: the server refuses to run as root
START_SECONDS = 300

StopMode = Literal["fast", "immediate"]  # as a restart does it, which ends every session; as a crash
Failure = StopMode | Literal["standby", "read-only"]


class PostgresServer:
    """One server of its own, which listens on a socket in its folder alone, and can be stopped and started again. `url`
    names its one database."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._migrated = ""
        self.url = self._url_of(UNPRIVILEGED)

    @property
    def pid(self) -> int:
        """Of the process that starts one for each connection."""
        return int((self._folder / "data" / "postmaster.pid").read_text().split()[0])

    def make(self) -> None:
        self._run("initdb", "--pgdata", "data", "--username", UNPRIVILEGED, "--auth", "trust", "--no-sync")

    def start(self) -> None:
        """Returns when it takes connections."""
        options = f"-c listen_addresses='' -c unix_socket_directories={self._folder} -c fsync=off"
        wait = ("--wait", "--timeout", str(START_SECONDS))
        self._run("pg_ctl", "--pgdata", "data", "--log", "log", "--options", options, *wait, "start")

    def stop(self, mode: StopMode = "immediate") -> None:
        self._run("pg_ctl", "--pgdata", "data", "--mode", mode, "--wait", "stop")

    def new_database(self) -> str:
        """The URL of an empty one."""
        return self._url_of(self._copy_of("template1"))

    def copied(self, url: str) -> str:
        """The URL of a copy of a database to which nobody is connected."""
        return self._url_of(self._copy_of(str(make_url(url).database)))

    def migrated_database(self) -> str:
        """The URL of one without rows: the first is migrated, and copied from then on."""
        if not self._migrated:
            self._migrated = self._copy_of("template1")
            engine = open_engine(self._url_of(self._migrated))
            migrate(engine)
            engine.dispose()
        return self._url_of(self._copy_of(self._migrated))

    def _copy_of(self, template: str) -> str:
        name = f"of_{uuid4().hex}"
        self.say(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def _url_of(self, database: str) -> str:
        return f"postgresql+psycopg://{UNPRIVILEGED}@/{database}?host={self._folder}"

    @contextmanager
    def failing(self, how: Failure) -> Iterator[None]:
        """ "standby": the same server, restarted as one; "read-only": it takes no writes, and its sessions go on."""
        end: Callable[[], object]
        match how:
            case "fast" | "immediate":
                self.stop(how)
                end = self.start
            case "standby":
                end = self._become_standby()
            case "read-only":
                end = self._refuse_writes()
        try:
            yield
        finally:
            end()

    def _become_standby(self) -> Callable[[], object]:
        self.stop("fast")
        signal = self._folder / "data" / "standby.signal"
        signal.touch()
        if os.geteuid() == ROOT:
            shutil.chown(signal, UNPRIVILEGED)
        self.start()
        return lambda: self.say("SELECT pg_promote()")

    def _refuse_writes(self) -> Callable[[], object]:
        self._set_read_only("on")
        return lambda: self._set_read_only("off")

    def _set_read_only(self, value: str) -> None:
        """For every session: one that begins with the value was let in after the others were told."""
        self.say(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
        self.say("SELECT pg_reload_conf()")
        while self.say("SHOW default_transaction_read_only") != (value,):
            pass

    def say(self, statement: str) -> tuple[Any, ...] | None:
        """On a connection of its own; the first row."""
        with psycopg.connect(self.url.replace("+psycopg", ""), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchone() if cursor.description else None

    def _run(self, program: str, *words: str) -> None:
        said = self._folder / "said"  # a pipe would stay open as long as the server
        with said.open("ab") as written:
            done = subprocess.run(
                [_found(program), *words],
                cwd=self._folder,
                user=UNPRIVILEGED if os.geteuid() == ROOT else None,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=subprocess.STDOUT,
                check=False,
            )
        assert done.returncode == 0, f"{program} failed: {said.read_text()[-2000:]}"


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    with tempfile.TemporaryDirectory(prefix="docent-pg-", ignore_cleanup_errors=True) as folder:
        if os.geteuid() == ROOT:
            shutil.chown(folder, UNPRIVILEGED)
        server = PostgresServer(Path(folder))
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _found(program: str) -> str:
    """Debian keeps the programs of each version beside each other, and out of the path; the newest is taken."""
    of_debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), key=lambda path: int(path.parts[4]))
    found = str(of_debian[-1]) if of_debian else shutil.which(program)
    assert found, f"{program} is not installed: apt install postgresql"
    return found
