"""Machines, each a web process and a worker on a data folder of its own, behind the nginx of docs/operations.md."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.store.secret_keys import new_key
from tests.docs.fenced_blocks import blocks
from tests.nemesis.docent_processes import DocentProcess, WebProcess, WorkerProcess, free_port
from tests.proxies.nginx import running_nginx
from tests.scale.object_store import ObjectStore

_DOCUMENTED = "10.0.0.1{number}:8000"  # the machines of the documentation's example, from number 1
_STREAM = "/v1/widget/turns/"


def stored_apart() -> dict[str, str]:
    """Settings of a machine whose visitors come through nginx, and which logs as `WorkerProcess` reads it."""
    return {
        "DOCENT_SECRET_KEY": new_key(),
        "DOCENT_TRUSTED_PROXIES": "127.0.0.1",
        "DOCENT_LOG_FORMAT": "json",
    }


def stored_together(database_url: str, redis_url: str, store: ObjectStore, vectors: str) -> dict[str, str]:
    """Settings that machines share, with their vectors in a folder of the store."""
    return stored_apart() | {
        "DOCENT_DATABASE_URL": database_url,
        "DOCENT_REDIS_URL": redis_url,
        "DOCENT_VECTORS_URI": f"s3://{store.bucket}/{vectors}",
        "DOCENT_VECTORS_OPTIONS": store.setting,
        "DOCENT_KEYWORDS": "own",
    }


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
    pid: int

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
    """Before up to three machines."""
    port, requests = free_port(), folder / "requests.log"
    (documented,) = (block.code for block in blocks() if block.language == "nginx" and "upstream" in block.code)
    http = documented.replace("listen 80;", f"listen 127.0.0.1:{port};")
    for number, machine in enumerate(machines, start=1):
        http = http.replace(_DOCUMENTED.format(number=number), f"127.0.0.1:{machine.web.port}")
    assert f"127.0.0.1:{machines[-1].web.port}" in http, "the documentation's example has fewer machines"
    http = "\n".join(line for line in http.splitlines() if "10.0.0" not in line)
    with running_nginx(port, http, requests) as pid:
        yield Balancer(port, requests, pid)
