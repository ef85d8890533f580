"""The real processes, `docent serve --with-worker` on a folder of their own, and their orderly or sudden end."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from app.cli.demo.script import ApiClient

Found = TypeVar("Found")
Json = dict[str, Any]

_LOOK_SECONDS = 0.1
_START_SECONDS = 300
_STOP_SECONDS = 120


def soon(
    look: Callable[[], Found | None], what: str, within_seconds: float, look_seconds: float = _LOOK_SECONDS
) -> Found:
    """What `look` finds, asked again and again until it finds something."""
    give_up_at = time.monotonic() + within_seconds
    while not (found := look()):
        assert time.monotonic() < give_up_at, f"{what}: not within {within_seconds} s"
        time.sleep(look_seconds)
    return found


class RunningDocent:
    """`data` is its folder. `log` gets what all its processes write."""

    def __init__(self, data: Path, may_crawl: str, settings: Mapping[str, str]) -> None:
        self.data = data
        self.log = data.with_suffix(".log")
        self._environment = os.environ | {
            "DOCENT_DATA": str(data),
            "DOCENT_HOST": "127.0.0.1",
            "DOCENT_PORT": "0",
            "DOCENT_LOG_FORMAT": "json",
            "DOCENT_CRAWL_ALLOW": may_crawl,
            "DOCENT_CRAWL_DELAY_SECONDS": "0",
            **settings,
        }
        token = self.command("token", "create", "tests", "--json")["token"]
        with self.log.open("ab") as log:
            self.serve = subprocess.Popen(
                [sys.executable, "-m", "app.cli", "serve", "--with-worker"],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            self.client = ApiClient(soon(self._base, "the server's address", _START_SECONDS), token)
            soon(self.client.is_ready, "the server is ready", _START_SECONDS)
        except BaseException:
            self.end()
            raise

    def command(self, *arguments: str) -> Json:
        """What a `docent ... --json` printed."""
        ended = subprocess.run(
            [sys.executable, "-m", "app.cli", *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=_START_SECONDS,
        )
        assert ended.stdout, ended.stderr
        printed: Json = json.loads(ended.stdout)
        return printed

    def rows(self, query: str, *values: str | bytes) -> list[tuple[Any, ...]]:
        """Straight from the system of record."""
        with closing(sqlite3.connect(f"file:{self.data / 'docent.sqlite'}?mode=ro", uri=True)) as record:
            return record.execute(query, values).fetchall()

    def worker(self) -> int | None:
        """The process that crawls, as a child of the one that serves."""
        for pid in _children(self.serve.pid):
            if b"work" in _command_line(pid):
                return pid
        return None

    def descendants(self) -> list[int]:
        """Every process that serving has started, and those that they started."""
        found = [self.serve.pid]
        for pid in found:
            found += _children(pid)
        return found[1:]

    def end(self) -> None:
        """Whatever state it is in; each process by its id."""
        started = self.descendants()
        self.serve.terminate()
        try:
            self.serve.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.serve.kill()
            self.serve.wait()
        for pid in started:
            if is_running(pid):
                os.kill(pid, signal.SIGKILL)

    def _base(self) -> str | None:
        assert self.serve.poll() is None, f"the server ended with exit code {self.serve.returncode}"
        for line in self.log.read_text(errors="replace").splitlines():
            if line.startswith("{") and (said := json.loads(line)).get("event") == "server.started":
                return str(said["url"])
        return None


@contextmanager
def running_docent(
    data: Path, may_crawl: str, settings: Mapping[str, str] = MappingProxyType({})
) -> Iterator[RunningDocent]:
    """`settings` are variables beside those that every test needs."""
    docent = RunningDocent(data, may_crawl, settings)
    try:
        yield docent
    finally:
        docent.end()


def is_running(pid: int) -> bool:
    """A process that has ended and waits to be reaped does not run."""
    try:
        return _stat(pid)[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and int(_stat(int(entry.name))[1]) == pid:
                found.append(int(entry.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return sorted(found)


def _stat(pid: int) -> list[str]:
    """State, parent and so on: what follows the name in brackets (proc(5))."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _command_line(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return []
