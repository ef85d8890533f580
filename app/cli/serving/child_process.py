"""Child processes of a server: stopped with it, and restarted when they exit by themselves."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Final, NoReturn

import structlog

from app.kit.tasks import Supervisor

log = structlog.get_logger(__name__)

_REST_SECONDS: Final = 2.0
_WORKER_STOP_SECONDS: Final = 15.0
MISCONFIGURED: Final = 2  # exit code of our commands if they refuse their settings


async def keep_worker(environment: Mapping[str, str] | None = None) -> NoReturn:
    """Run `docent work` until cancelled."""
    await keep_child("worker", docent_command("work"), stop_seconds=_WORKER_STOP_SECONDS, environment=environment)


def docent_command(*words: str) -> Sequence[str]:
    return (sys.executable, "-m", "app.cli", *words)


async def keep_child(
    name: str,
    command: Sequence[str],
    *,
    stop_seconds: float,
    environment: Mapping[str, str] | None = None,
    descriptors: Collection[int] = (),
    output: int | None = None,
    refused: asyncio.Event | None = None,
) -> NoReturn:
    """Run `command` until cancelled. The child then gets SIGTERM, and SIGKILL if it runs on for `stop_seconds`. On
    Linux, it also gets SIGTERM if this process is killed.

    `environment` replaces this process's environment. If the child exits with `MISCONFIGURED`, `refused` is set and the
    child is not restarted.
    """

    async def once() -> None:
        # Unlike asyncio's, Popen starts the child without running this process's fork hooks. `process_group` keeps
        # signals from the keyboard away from the child, because this process ends it itself.
        child = subprocess.Popen(  # noqa: S603, ASYNC220 - what we give it
            [*_death_signal_prefix(), *command], env=environment, pass_fds=descriptors, stdout=output, process_group=0
        )
        code = await _exit_code(child, stop_seconds)
        if refused and code == MISCONFIGURED:
            refused.set()
            await asyncio.Event().wait()
        log.error("process.died", process=name, exit_code=code, restart_in_seconds=_REST_SECONDS)
        await asyncio.sleep(_REST_SECONDS)

    await Supervisor().keep_going("child process", once, rest_seconds=_REST_SECONDS)


@cache
def _death_signal_prefix() -> Sequence[str]:
    """A command prefix that sends SIGTERM to the child when this process dies; empty if `setpriv` is missing or, as
    BusyBox's, cannot do so."""
    words = ("setpriv", "--pdeathsig", "TERM")
    try:
        return words if subprocess.run([*words, "true"], capture_output=True).returncode == 0 else ()  # noqa: S603
    except OSError:
        return ()


async def _exit_code(child: "subprocess.Popen[bytes]", stop_seconds: float) -> int:
    """The child's exit code. Each child is awaited in its own thread, because there may be more children than threads
    in the event loop's pool."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[int] = loop.create_future()

    def wait() -> None:
        code = child.wait()
        loop.call_soon_threadsafe(ended.set_result, code)

    threading.Thread(target=wait, name=f"waits for {child.pid}").start()
    try:
        return await asyncio.shield(ended)
    except asyncio.CancelledError:
        child.terminate()
        killing = loop.call_later(stop_seconds, child.kill)
        while not ended.done():
            with suppress(asyncio.CancelledError):
                await asyncio.shield(ended)
        killing.cancel()
        raise
