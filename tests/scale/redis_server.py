"""A real Redis for the tests: `apt install redis-server`. A machine without one fails them."""

import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import redis


class RedisServer:
    """One server on a port of its own, which can be stopped and started again."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self._port}/0"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        assert self._process is None, "it runs: a second one would take its place here, and nobody would stop the first"
        program = shutil.which("redis-server")
        assert program, "redis-server is not installed: apt install redis-server"
        options = ["--port", str(self._port), "--bind", "127.0.0.1", "--save", "", "--dir", self._folder]
        self._process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
        with redis.Redis.from_url(self.url, retry=None) as client:
            while True:
                assert self._process.poll() is None, "redis-server did not start"
                try:
                    client.ping()
                    return
                except redis.ConnectionError:
                    continue

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)
            self._process = None

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Takes calls and answers none."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    @contextmanager
    def full(self) -> Iterator[None]:
        """Refuses every write."""
        with redis.Redis.from_url(self.url) as client:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("maxmemory", 1)
            try:
                yield
            finally:
                client.config_set("maxmemory", 0)

    def empty(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    with tempfile.TemporaryDirectory() as folder:
        server = RedisServer(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
