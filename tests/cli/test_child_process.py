"""Programs beside a server: started again when they die, and gone when it is."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TextIO

import pytest

from app.cli.serving import child_process
from app.cli.serving.child_process import keep_child
from app.kit.tasks import end_task

_PROGRAM = """
import os, signal, sys, time
exec(sys.argv[2])
open(sys.argv[1], "w").write(f"{os.getpid()}\\n")
time.sleep(600)
"""
_IGNORES = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
_REFUSES = "sys.exit(2)"


@pytest.fixture
def said(tmp_path: Path) -> Iterator[TextIO]:
    """A pipe with a name, through which programs tell their numbers once they run."""
    os.mkfifo(tmp_path / "said")
    reading = os.open(tmp_path / "said", os.O_RDWR)  # a reader alone would wait here for a writer
    with open(reading) as pipe:
        yield pipe


Program = Callable[..., list[str]]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return lambda does="": [sys.executable, "-c", _PROGRAM, str(tmp_path / "said"), does]


@asynccontextmanager
async def kept(
    command: list[str], stop_seconds: float = 30, refused: asyncio.Event | None = None
) -> AsyncIterator[None]:
    task = asyncio.create_task(keep_child("child", command, stop_seconds=stop_seconds, refused=refused))
    try:
        yield
    finally:
        await end_task(task)


async def next_pid(said: TextIO) -> int:
    return int(await asyncio.to_thread(said.readline))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_one_that_dies_is_started_again(said: TextIO, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_process, "_REST_SECONDS", 0)
    async with kept(program()):
        os.kill(await next_pid(said), signal.SIGKILL)
        second = await next_pid(said)
        assert is_alive(second)
    assert not is_alive(second)


async def test_one_that_does_not_end_when_it_is_asked_to_is_killed(said: TextIO, program: Program) -> None:
    async with kept(program(_IGNORES), stop_seconds=0.5):
        pid = await next_pid(said)
    assert not is_alive(pid)


async def test_one_that_refuses_its_settings_is_not_started_again(program: Program) -> None:
    refused = asyncio.Event()
    async with kept(program(_REFUSES), refused=refused), asyncio.timeout(30):
        await refused.wait()


async def test_one_ends_with_a_server_that_is_killed(said: TextIO, program: Program) -> None:
    server_program = (
        "import asyncio, sys; from app.cli.serving.child_process import keep_child;"
        "asyncio.run(keep_child('child', sys.argv[1:], stop_seconds=9))"
    )
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", server_program, *program())
    try:
        pid = await next_pid(said)
    finally:
        server.kill()
        await server.wait()
    async with asyncio.timeout(30):
        while is_alive(pid):  # noqa: ASYNC110 - the system calls nobody
            await asyncio.sleep(0.02)
