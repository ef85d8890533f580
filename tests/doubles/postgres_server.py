"""A real Postgres for the tests: `apt install postgresql`. A machine without one fails them."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = 0
UNPRIVILEGED = "postgres"  # the account that Debian's package makes: the server refuses to run as root
START_SECONDS = 60


class PostgresServer:
    """One server of its own, which listens on a socket in its folder alone. `url` names its one database."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = f"postgresql+psycopg://{UNPRIVILEGED}@/{UNPRIVILEGED}?host={folder}"

    def start(self) -> None:
        self._run("initdb", "--pgdata", "data", "--username", UNPRIVILEGED, "--auth", "trust", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={self._folder} -c fsync=off"
        wait = ("--wait", "--timeout", str(START_SECONDS))
        self._run("pg_ctl", "--pgdata", "data", "--log", "log", "--options", options, *wait, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "--pgdata", "data", "--mode", "immediate", "--wait", "stop")

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
