"""`docent serve` as a process of its own, with no proxy before it."""

import asyncio
import os
import re
import signal
import sys
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

_DESCRIPTORS = 1024  # what many systems give a process
_START_SECONDS = 300


@dataclass(frozen=True, slots=True)
class BareServer:
    port: int
    process: Process

    async def answers_in(self) -> float:
        """Seconds until a caller from another address has a whole answer."""
        began = time.monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=("127.0.0.200", 0))
        try:
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: docent\r\nConnection: close\r\n\r\n")
            assert b" 200 " in await reader.read()
        finally:
            writer.close()
        return time.monotonic() - began

    def resident_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def sockets(self) -> int:
        links = Path(f"/proc/{self.process.pid}/fd").iterdir()
        return sum("socket:" in os.readlink(link) for link in links if os.path.lexists(link))


@asynccontextmanager
async def bare_server(folder: Path, *options: str, **settings: str) -> AsyncIterator[BareServer]:
    """On `folder / "data"`, with its log beside it. Both limits of open files are those of a plain system, so that it
    cannot help itself to more."""
    log = folder / "log"
    command = [sys.executable, "-m", "app.cli", "serve", "--port", "0", *options]
    with log.open("wb") as written:
        process = await asyncio.create_subprocess_exec(
            *("sh", "-c", f'ulimit -n {_DESCRIPTORS} && exec "$@"', "--", *command),
            env=os.environ | {"DOCENT_DATA": str(folder / "data"), "DOCENT_LOG_FORMAT": "json"} | settings,
            stderr=written,
        )
    try:
        async with asyncio.timeout(_START_SECONDS):
            while not (found := re.search(r'"url": "http://127\.0\.0\.1:(\d+)"', log.read_text())):
                assert process.returncode is None, log.read_text()[-3000:]
                await asyncio.sleep(0.05)
        yield BareServer(int(found[1]), process)
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()
