"""`docent serve` as a process of its own, and what it holds while it runs."""

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import Sequence
from pathlib import Path

import httpx2
from prometheus_client.parser import text_string_to_metric_families

from bench.serving.processor_time import process_tree, processor_seconds

PORT = "{port}"
_SERVE = ("app.cli", "serve", "--port", PORT)
_START_SECONDS = 60
_STOP_SECONDS = 40
_IDLE_SECONDS = 5
_METRICS_TOKEN = "the-token-of-the-bench"
_SAMPLED = {
    "process_resident_memory_bytes": "memory_mib",
    "process_open_fds": "descriptors",
    "docent_tasks": "tasks",
    "docent_record_connections": "connections",
}


def own_environment() -> None:
    """Settings of the shell must not change what is measured."""
    for name in [name for name in os.environ if name.startswith("DOCENT_")]:
        del os.environ[name]


class WebProcess:
    """`command`, with the port put in place of PORT, is Docent of the tree at `root` unless it is told."""

    def __init__(
        self, environment: dict[str, str], log: Path, *, root: Path | None = None, command: Sequence[str] = _SERVE
    ) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{self._port}"
        self._environment = environment
        self._log = log
        self._root = root
        self._command = [str(self._port) if word == PORT else word for word in command]
        self._process: Process

    async def start(self) -> None:
        with self._log.open("ab") as written:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", *self._command),
                cwd=self._root,
                env=os.environ | {"DOCENT_METRICS_TOKEN": _METRICS_TOKEN} | self._environment,
                stdout=written,
                stderr=written,
            )
        async with asyncio.timeout(_START_SECONDS), httpx2.AsyncClient(trust_env=False) as http:
            while True:
                assert self._process.returncode is None, self._log.read_text(errors="replace")[-3000:]
                try:
                    if (await http.get(f"{self.base}/readyz")).status_code == 200:
                        return
                except httpx2.TransportError:
                    await asyncio.sleep(0.1)

    async def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(_STOP_SECONDS):
            await self._process.wait()

    def resident_kib(self) -> int:
        """What all of them hold; pages that several hold count for each."""
        statuses = [Path(f"/proc/{pid}/status").read_text() for pid in process_tree(self._process.pid)]
        return sum(int(status.split("VmRSS:")[1].split()[0]) for status in statuses)

    def processor_seconds(self) -> float:
        return processor_seconds(self._process.pid)

    def loop_seconds(self) -> float:
        """Of that, what its main thread has used, which runs the event loop."""
        nanoseconds, *_ = Path(f"/proc/{self._process.pid}/schedstat").read_text().split()
        return int(nanoseconds) / 1e9

    async def sample(self) -> dict[str, float]:
        """What /metrics says, of several processes the sum."""
        async with httpx2.AsyncClient(trust_env=False, timeout=30) as http:
            text = (await http.get(f"{self.base}/metrics", headers={"Authorization": f"Bearer {_METRICS_TOKEN}"})).text
        said = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
        taken = {short: sum(sample.value for sample in said if sample.name == name) for name, short in _SAMPLED.items()}
        return taken | {"memory_mib": taken["memory_mib"] / 2**20}

    async def idle_sample(self) -> dict[str, float]:
        """After the last connections have closed."""
        await asyncio.sleep(_IDLE_SECONDS)
        return await self.sample()
