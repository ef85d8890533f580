"""Several web processes behind one port, each restarted when it dies.

They accept connections from the same listening socket and share state through Redis, like web processes on several
machines, so any of them can serve any visitor.
"""

import asyncio
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import typer

from app.cli.serving.child_process import MISCONFIGURED, docent_command, keep_child, keep_worker
from app.cli.serving.listening import Member, bound_sockets
from app.cli.terminal import fail
from app.kit.tasks import end_task
from app.settings import Settings

_BEYOND_SHUTDOWN_SECONDS: Final = 10.0
_REDIS_STOP_SECONDS: Final = 5.0
_LONGEST_FOLDER: Final = 90  # bytes; the path of a socket in it may have 107
# With volatile-ttl, Redis evicts the events of turns that expire soonest; keys without an expiry are small.
_REDIS = """\
bind 127.0.0.1
port {port}
requirepass {password}
dir "{folder}"
save ""
appendonly no
maxmemory 256mb
maxmemory-policy volatile-ttl
loglevel warning
"""


async def serve_by_many(settings: Settings, options: Mapping[str, Any], with_worker: bool) -> None:
    """Run web processes until SIGTERM or SIGINT, which stops all of them. `options` are settings from the command line,
    passed on in the environment. Ends the command with exit code 2 if a process refuses its settings."""
    stopping, refused = asyncio.Event(), asyncio.Event()
    for received in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(received, stopping.set)
    async with AsyncExitStack() as opened:
        listening = bound_sockets(settings.host, settings.port)
        for each in listening:
            opened.callback(each.close)
        folder = opened.enter_context(_folder_of_sockets(settings.data, listening[0].getsockname()[1]))
        environment = dict(os.environ) | {f"DOCENT_{name.upper()}": str(value) for name, value in options.items()}
        if not settings.redis_url.get_secret_value():
            environment["DOCENT_REDIS_URL"] = await opened.enter_async_context(_own_redis(folder))
        descriptors = [each.fileno() for each in listening]
        web = [
            asyncio.create_task(
                keep_child(
                    f"web {number}",
                    docent_command("serve", "--member", Member(number, descriptors, folder).written()),
                    stop_seconds=settings.shutdown_seconds + _BEYOND_SHUTDOWN_SECONDS,
                    environment=environment,
                    descriptors=descriptors,
                    refused=refused,
                )
            )
            for number in range(1, settings.processes + 1)
        ]
        worker = [asyncio.create_task(keep_worker(environment))] if with_worker else []
        reasons = [asyncio.create_task(stopping.wait()), asyncio.create_task(refused.wait())]
        await asyncio.wait(reasons, return_when=asyncio.FIRST_COMPLETED)
        for each in listening:
            each.close()  # refuse new connections while the processes stop
        await asyncio.gather(*map(end_task, [*reasons, *web, *worker]))
    if refused.is_set():
        raise typer.Exit(MISCONFIGURED)


@contextmanager
def _folder_of_sockets(data: Path, port: int) -> Iterator[str]:
    """A folder that only its owner can enter: in the data folder, or a temporary one if that path is too long. Its name
    contains the port, which this command holds, so a folder left by a killed command can be removed."""
    folder = data.resolve() / f"web-{port}"
    if len(os.fsencode(folder)) > _LONGEST_FOLDER:
        with tempfile.TemporaryDirectory(prefix="docent-") as short:
            yield short
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    try:
        yield str(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def _own_redis(folder: str) -> AsyncIterator[str]:
    """Run a Redis without persistence while the block runs, and yield its URL. Ends the command if redis-server is not
    installed."""
    command, url = _redis_command(folder)
    running = asyncio.create_task(
        keep_child("redis", command, stop_seconds=_REDIS_STOP_SECONDS, output=subprocess.DEVNULL)
    )
    try:
        yield url
    finally:
        await end_task(running)


def _redis_command(folder: str) -> tuple[Sequence[str], str]:
    """The command that starts Redis, and its URL. The password is in a file, because other accounts can list a
    process's arguments."""
    program = shutil.which("redis-server")
    if program is None:
        fail(
            "Several web processes share limits, caches and running answers by Redis. Set DOCENT_REDIS_URL, or install "
            "redis-server (Debian: apt install redis-server), which then runs beside them; --processes 1 needs none.",
            2,
        )
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    password = secrets.token_urlsafe(32)
    written = Path(folder, "redis.conf")
    written.write_text(_REDIS.format(port=port, password=password, folder=folder), encoding="utf-8")
    return [program, str(written)], f"redis://:{password}@127.0.0.1:{port}/0"
