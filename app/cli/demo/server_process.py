"""Our own server as a child process, web and worker, and its orderly end."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from app.cli.demo.api_client import ApiClient
from app.cli.terminal import fail

_START_SECONDS = 60
_STOP_SECONDS = 30
_LOOK_SECONDS = 0.1


@contextmanager
def running_server(client: ApiClient, environment: dict[str, str], *, with_worker: bool = True) -> Iterator[None]:
    """`docent serve`, ready to be asked, until the block is left."""
    command = [sys.executable, "-m", "app.cli", "serve", *(["--with-worker"] if with_worker else [])]
    process = None
    try:
        with _sigterm_waits():
            process = subprocess.Popen(command, env=os.environ | environment, stdout=sys.stderr)  # noqa: S603 - ourselves
        _wait_until_ready(client, process)
        yield
    finally:
        if process is not None:
            _end(process)


@contextmanager
def _sigterm_waits() -> Iterator[None]:
    """A SIGTERM within the block takes effect at its end, so that no child is begun without being known. Outside the
    main thread, where no handler runs, this does nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda signum, _: came.append(signum))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        for signum in came:
            signal.raise_signal(signum)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_until_ready(client: ApiClient, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not client.is_ready():
        if process.poll() is not None:
            fail(f"The server ended at once with exit code {process.returncode}; see its output above.")
        if time.monotonic() > deadline:
            fail(f"The server was not ready after {_START_SECONDS} seconds.")
        time.sleep(_LOOK_SECONDS)


def free_port(wanted: int | None) -> int:
    """The wanted port when it is free, else any that is."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted or 0))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
