"""Programs that run beside a server: ended with it, and started again when they end by themselves."""

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
MISCONFIGURED: Final = 2  # what our commands end with then


async def keep_worker(environment: Mapping[str, str] | None = None) -> NoReturn:
    """`docent work`."""
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
    """Run it until cancelled; it is then asked to end, and killed when it has not within `stop_seconds`. Where this
    process is killed it is asked to end as well, on Linux.

    `environment` is all of its own, else it inherits this process's. `refused` is set where one of our commands refuses
    its settings, as it would when it is started again.
    """

    async def once() -> None:
        # Popen and not the loop's own: it starts the child without running this process's fork hooks. A signal from the
        # keyboard is this process's to pass on, which `process_group` sees to.
        child = subprocess.Popen(  # noqa: S603, ASYNC220 - what we give it
            [*_ends_with_us(), *command], env=environment, pass_fds=descriptors, stdout=output, process_group=0
        )
        code = await _ended(child, stop_seconds)
        if refused and code == MISCONFIGURED:
            refused.set()
            await asyncio.Event().wait()
        log.error("process.died", process=name, exit_code=code, restart_in_seconds=_REST_SECONDS)
        await asyncio.sleep(_REST_SECONDS)

    await Supervisor().keep_going("child process", once, rest_seconds=_REST_SECONDS)


@cache
def _ends_with_us() -> Sequence[str]:
    """A command before a command, where there is one that can do it: util-linux has, BusyBox has not."""
    words = ("setpriv", "--pdeathsig", "TERM")
    try:
        return words if subprocess.run([*words, "true"], capture_output=True).returncode == 0 else ()  # noqa: S603
    except OSError:
        return ()


async def _ended(child: "subprocess.Popen[bytes]", stop_seconds: float) -> int:
    """Its exit code; waited for in a thread of its own, since there may be more children than the loop has threads."""
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
