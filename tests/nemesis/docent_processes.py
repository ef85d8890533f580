"""Web processes and workers as an operator runs them: ended politely, killed, and started again; stopped for a while,
as a machine may be; and with a clock that is wrong."""

import asyncio
import os
import signal
import socket
import sys
import time
from abc import ABC, abstractmethod
from asyncio.subprocess import Process
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

START_SECONDS = 400  # other tests may run beside these
STOP_SECONDS = 120
_STARTS = 10  # until it is given up


@dataclass
class DocentProcess(ABC):
    """`killed_at` has the moment at which a pid was killed, by time.monotonic, or asked to end while the record took
    nothing: it could not even tell there that it leaves. `ahead_seconds` is how far its clock is ahead of everybody's.
    One that finds no database to write to when it starts, and so ends, is started again, as init systems do: Postgres
    may be away, or a paused process hold SQLite's lock."""

    environment: dict[str, str]
    log: Path
    _: KW_ONLY
    ahead_seconds: int = 0
    pids: list[int] = field(default_factory=list)  # of all its starts
    killed_at: dict[int, float] = field(default_factory=dict)
    paused: dict[int, list[tuple[float, float]]] = field(default_factory=dict)  # by pid, from when to when
    exit_codes: list[int] = field(default_factory=list)
    stop_seconds: list[float] = field(default_factory=list)
    _process: Process | None = None
    _log_began: int = 0
    _changing: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @abstractmethod
    def _words(self) -> tuple[str, ...]:
        """The command that it runs."""

    @abstractmethod
    async def _is_ready(self) -> bool:
        """Whether it has started."""

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        starts_left = _STARTS
        async with asyncio.timeout(START_SECONDS) as patience:
            process = await self._spawn()
            while not await self._is_ready():
                if process.returncode and (starts_left := starts_left - 1):
                    process = await self._spawn()
                    patience.reschedule(loop.time() + START_SECONDS)
                assert process.returncode is None, self.log.read_text(errors="replace")[-3000:]
                await asyncio.sleep(0.1)

    async def _spawn(self) -> Process:
        with self.log.open("ab") as written:
            self._log_began = written.seek(0, os.SEEK_END)
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "tests.nemesis.skewed_docent", str(self.ahead_seconds), *self._words()),
                env=os.environ | self.environment,
                stdout=written,
                stderr=written,
            )
        self.pids.append(self._process.pid)
        return self._process

    async def restart(self, *, politely: bool) -> None:
        async with self._changing:
            await (self.terminate() if politely else self.kill())
            await self.start()

    async def terminate(self) -> None:
        """As a deploy does; what it took and how it ended is kept."""
        assert self._process
        began = time.monotonic()
        self._process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(STOP_SECONDS):
            self.exit_codes.append(await self._process.wait())
        self.stop_seconds.append(time.monotonic() - began)
        if b"heartbeat.leave_failed" in self.log.read_bytes()[self._log_began :]:
            self.killed_at[self._process.pid] = began

    async def kill(self) -> None:
        assert self._process
        self.killed_at[self._process.pid] = time.monotonic()
        self._process.kill()
        await self._process.wait()

    async def pause(self, seconds: float) -> None:
        """As a machine that is stopped and goes on: nothing of the process is lost but time."""
        async with self._changing:
            assert self._process
            began = time.monotonic()
            self._process.send_signal(signal.SIGSTOP)
            try:
                await asyncio.sleep(seconds)
            finally:
                self._process.send_signal(signal.SIGCONT)
                self.paused.setdefault(self._process.pid, []).append((began, time.monotonic()))

    async def close(self) -> None:
        """Whatever state it is in."""
        async with self._changing:
            if self._process and self._process.returncode is None:
                self._process.kill()
                await self._process.wait()


@dataclass
class WebProcess(DocentProcess):
    """`port` stays the same over restarts."""

    port: int

    def _words(self) -> tuple[str, ...]:
        return ("serve", "--port", str(self.port))

    async def _is_ready(self) -> bool:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        try:
            writer.write(b"GET /readyz HTTP/1.1\r\nHost: docent\r\nConnection: close\r\n\r\n")
            return b" 200 " in await reader.readline()
        except OSError:
            return False
        finally:
            writer.close()


@dataclass
class WorkerProcess(DocentProcess):
    """`docent work`, whose log is JSON."""

    def _words(self) -> tuple[str, ...]:
        return ("work",)

    async def _is_ready(self) -> bool:
        return b'"worker.started"' in self.log.read_bytes()[self._log_began :]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
