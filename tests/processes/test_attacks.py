"""Attacks that need no account, each against a server of its own: others are served meanwhile, and afterwards the
server is as large as before. `--log-cli-level=INFO` shows what each one cost."""

import asyncio
import json
import logging
import re
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.doubles.metrics_reader import AS_SCRAPER, METRICS_TOKEN
from tests.processes.bare_server import BareServer, bare_server

pytestmark = pytest.mark.timeout(300)

_log = logging.getLogger(__name__)
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_SERVED_SECONDS = 0.5  # a machine that does nothing else: .05


def _tell(what: str, **figures: float) -> None:
    _log.info("%s: %s", what, ", ".join(f"{name} {value:.3f}" for name, value in figures.items()))


async def _request(
    streams: tuple[StreamReader, StreamWriter], method: str, path: str, **headers: str
) -> tuple[int, bytes]:
    """On a connection that stays open."""
    reader, writer = streams
    lines = [f"{method} {path} HTTP/1.1", "Host: docent", "Content-Length: 0"]
    writer.write("\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items()), "", ""]).encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.split("content-length:")[1].split()[0]) if "content-length:" in head else 0
    return int(head.split()[1]), await reader.readexactly(length) if method != "HEAD" else b""


@asynccontextmanager
async def _while(*attackers: Any) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(each) for each in attackers]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _served(server: BareServer, times: int = 50) -> float:
    """The median of what others wait for /healthz, in seconds; without an answer it is infinite."""
    waited = []
    for _ in range(times):
        try:
            waited.append(await server.answers_in())
        except (AssertionError, ConnectionError):
            waited.append(inf)
        await asyncio.sleep(0.05)
    return median(waited)


async def test_a_sweep_over_every_route_and_method_does_not_make_the_metrics_a_load(tmp_path: Path) -> None:
    async with bare_server(tmp_path, DOCENT_METRICS_TOKEN=METRICS_TOKEN) as server:
        streams = await asyncio.open_connection("127.0.0.1", server.port)
        paths = json.loads((await _request(streams, "GET", "/openapi.json"))[1])["paths"]
        for path in paths:
            if path != "/healthz/stream":
                for method in _METHODS:
                    await _request(streams, method, re.sub("[{}]", "", path))
        _, text = await _request(streams, "GET", "/metrics", **AS_SCRAPER)
        async with _while(*(_ask_for_metrics(server) for _ in range(4))):
            waited = await _served(server)
        _tell("metrics", kib=len(text) / 1024, median_s=waited, mib=server.resident_mib())
        streams[1].close()
        assert b'route="refused",status="405"' in text
        assert len(text) < 64 * 1024
        assert waited < _SERVED_SECONDS


async def _ask_for_metrics(server: BareServer) -> None:
    """Without a token, until it is cancelled."""
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            while True:
                status, _ = await _request((reader, writer), "GET", "/metrics")
                assert status in (401, 429)
        finally:
            writer.close()
