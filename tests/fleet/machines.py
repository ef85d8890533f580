"""Machines, each a web process and a worker on a data folder of its own, behind the nginx of docs/operations.md."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.docs.fenced_blocks import blocks
from tests.nemesis.docent_processes import DocentProcess, WebProcess, WorkerProcess, free_port
from tests.proxies.nginx import running_nginx

_DOCUMENTED = "10.0.0.1{number}:8000"  # the machines of the documentation's example, from number 1
_STREAM = "/v1/widget/turns/"


@dataclass(frozen=True, slots=True)
class Machine:
    """`environment` is that of its worker and of commands. The web process alone has the chat model: a worker asks gaps
    again, and would count as visitors do."""

    environment: dict[str, str]
    web: WebProcess
    worker: WorkerProcess

    @classmethod
    def in_folder(cls, folder: Path, shared: dict[str, str]) -> "Machine":
        folder.mkdir()
        web = {**shared, "DOCENT_DATA": str(folder / "data"), "TMPDIR": str(folder)}
        environment = {name: value for name, value in web.items() if "_MODEL_" not in name}
        return cls(
            environment,
            WebProcess(web, folder / "web.log", free_port()),
            WorkerProcess(environment, folder / "worker.log"),
        )

    @property
    def processes(self) -> tuple[DocentProcess, DocentProcess]:
        return self.web, self.worker

    async def start(self) -> None:
        await asyncio.gather(*(process.start() for process in self.processes))

    async def command(self, *words: str) -> str:
        """What `docent` says there."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "app.cli", *words),
            env=os.environ | self.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        said, complaint = await process.communicate()
        assert said, complaint.decode()
        return said.decode()


@dataclass(frozen=True, slots=True)
class Balancer:
    """`requests` is the file that tells who was asked."""

    port: int
    requests: Path

    def streams_by_port(self) -> dict[str, Counter[int]]:
        """For each turn that somebody read on: how often which web process was asked for it."""
        asked: dict[str, Counter[int]] = {}
        for line in self.requests.read_text().splitlines():
            method, path, upstreams, status = line.split("\t")
            if method == "GET" and path.startswith(_STREAM) and status == "200":
                port = int(upstreams.rsplit(":", 1)[1])
                asked.setdefault(path.removeprefix(_STREAM).partition("/")[0], Counter())[port] += 1
        return asked


@contextmanager
def balanced(machines: list[Machine], folder: Path) -> Iterator[Balancer]:
    balancer = Balancer(free_port(), folder / "requests.log")
    (documented,) = (block.code for block in blocks() if block.language == "nginx" and "upstream" in block.code)
    http = documented.replace("listen 80;", f"listen 127.0.0.1:{balancer.port};")
    for number, machine in enumerate(machines, start=1):
        http = http.replace(_DOCUMENTED.format(number=number), f"127.0.0.1:{machine.web.port}")
    assert "10.0.0" not in http, "the documentation's example has as many machines as this run"
    with running_nginx(balancer.port, http, balancer.requests):
        yield balancer
