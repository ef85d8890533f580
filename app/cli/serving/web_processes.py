"""Several web processes behind one port, each started again when it dies.

They take connections from the same listening socket, and share what they must know of each other by Redis, as web
processes on several machines do. Which one a visitor reaches makes no difference.
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
_LONGEST_FOLDER: Final = 90  # bytes: a path of a socket has at most 107
# Events of turns go by their age; whatever has no end is small.
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
    """Until told to end, which ends them all. `options` are the command's own, which the processes are to have, too.
    Ends the command with exit code 2 where a process refuses its settings."""
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
            each.close()  # whoever comes while they end is to go elsewhere
        await asyncio.gather(*map(end_task, [*reasons, *web, *worker]))
    if refused.is_set():
        raise typer.Exit(MISCONFIGURED)


@contextmanager
def _folder_of_sockets(data: Path, port: int) -> Iterator[str]:
    """Only its owner may look into it. It is this machine's and this port's, which nobody else has meanwhile, so that
    what a killed command left there is removed."""
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
    """The URL of one that runs until the block is left, and forgets all then. Ends the command where there is none."""
    command, url = _redis_command(folder)
    running = asyncio.create_task(
        keep_child("redis", command, stop_seconds=_REDIS_STOP_SECONDS, output=subprocess.DEVNULL)
    )
    try:
        yield url
    finally:
        await end_task(running)


def _redis_command(folder: str) -> tuple[Sequence[str], str]:
    """And its URL, whose password is in a file and not among the command's words, which everybody can list."""
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
