"""Attacks from outside, and of one workspace on another, each against a server of its own: others are served meanwhile,
and afterwards the server is as large as before. `--log-cli-level=INFO` shows what each one cost."""

import asyncio
import json
import logging
import os
import re
import subprocess
import sys
import time
import urllib.request
import zipfile
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from io import BytesIO
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from app.sources.files.office_parts import MAX_PARAGRAPHS
from tests.doubles.metrics_reader import AS_SCRAPER, METRICS_TOKEN
from tests.doubles.sample_files import a_docx, paragraph
from tests.processes.bare_server import BareServer, bare_server

_log = logging.getLogger(__name__)
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_AHEAD = 16  # requests that a connection may send ahead
_BACK_WITHIN = 1.1
_SERVED_SECONDS = 0.5  # a machine that does nothing else: .05
_SERVED_TIMES = 10  # what others wait without the attack, where that is more: the machine is busy
_LEFT_AFTER_SECONDS = 4
_STORED_SECONDS = 120
_FORM = "multipart/form-data; boundary=form"


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


async def _settled_mib(server: BareServer) -> float:
    """When it has loaded its models, and given back what that took."""
    sizes = [0.0, server.resident_mib()]
    while abs(sizes[-1] - sizes[-2]) > 1:
        await asyncio.sleep(2)
        sizes.append(server.resident_mib())
    return sizes[-1]


async def _served(server: BareServer) -> float:
    """The median of what others wait for /healthz, in seconds; without an answer it is infinite."""
    waited = []
    for _ in range(50):
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
        calm = await _served(server)
        async with _while(*(_ask_for_metrics(server) for _ in range(4))):
            waited = await _served(server)
        _tell("metrics", kib=len(text) / 1024, median_s=waited, mib=server.resident_mib())
        streams[1].close()
        assert b'route="refused",status="405"' in text
        assert len(text) < 64 * 1024
        assert waited < max(_SERVED_SECONDS, _SERVED_TIMES * calm)


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


async def test_readers_who_read_nothing_keep_nobody_out_and_leave_no_trace(tmp_path: Path) -> None:
    """More than the server has connections for, from eleven addresses."""
    limits = ("--limit-connections", "60", "--limit-connections-per-address", "6")
    async with bare_server(tmp_path, *limits) as server:
        first = await asyncio.open_connection("127.0.0.1", server.port)
        await _request(first, "GET", "/openapi.json")
        first[1].close()
        calm = await _served(server)
        before, sockets = await _settled_mib(server), server.sockets()
        held = [await _stalled(server.port, f"127.0.0.{2 + number % 11}") for number in range(66)]
        waited, most = await _served(server), server.resident_mib()
        async with asyncio.timeout(300):
            while server.sockets() > sockets:  # noqa: ASYNC110 - another process calls nobody
                await asyncio.sleep(0.2)
        await server.answers_in()
        _tell("stalled", median_s=waited, mib_before=before, mib_most=most, mib=server.resident_mib())
        assert waited < max(_SERVED_SECONDS, _SERVED_TIMES * calm)
        assert server.resident_mib() < before * _BACK_WITHIN
        for writer in held:
            writer.close()
    assert "Traceback" not in (tmp_path / "log").read_text()


async def _stalled(port: int, address: str) -> StreamWriter:
    """Of a connection that asks for more than the system buffers, and reads none of it."""
    _, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0), limit=1)
    with suppress(ConnectionError):
        writer.write(b"GET /openapi.json HTTP/1.1\r\nHost: docent\r\n\r\n" * _AHEAD)
    return writer


async def test_no_reader_who_reads_nothing_has_the_server_keep_a_file(tmp_path: Path) -> None:
    token = _command(tmp_path / "data", "token", "create", "attacks", "--json")["token"]
    async with bare_server(tmp_path) as server:
        path = await asyncio.to_thread(_public_file, server.port, token)
        calm = await _served(server)
        before, sockets = await _settled_mib(server), server.sockets()
        readers = [await asyncio.open_connection("127.0.0.1", server.port, limit=1) for _ in range(12)]
        for _, writer in readers:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: docent\r\n\r\n".encode())
        waited, most = await _served(server), server.resident_mib()
        async with asyncio.timeout(300):
            while server.sockets() > sockets:  # noqa: ASYNC110 - another process calls nobody
                await asyncio.sleep(0.2)
        after = await _settled_mib(server)
        _tell("files", median_s=waited, mib_before=before, mib_most=most, mib=after)
        for _, writer in readers:
            writer.close()
        assert most - before < 64
        assert after < before * _BACK_WITHIN
        assert waited < max(_SERVED_SECONDS, _SERVED_TIMES * calm)


async def test_uploads_that_are_left_hold_up_no_other_workspace(tmp_path: Path) -> None:
    """As many as the server receives at once, each about as much work as a file may be."""
    data = tmp_path / "data"
    theirs = _command(data, "token", "create", "attacks", "--json")["token"]
    _command(data, "workspace", "add", "Shop", "--admin", "ann@shop.example", typed="correct horse battery")
    ours = _command(data, "token", "create", "tests", "--json", workspace="Shop")["token"]
    large, small = _form("manual.docx", _long_docx()), _form("note.txt", b"A lamp has a warranty of three years here.")
    async with bare_server(tmp_path) as server:
        paths = [f"/v1/agents/{await asyncio.to_thread(_an_agent, server.port, each)}/files" for each in (theirs, ours)]
        await asyncio.to_thread(_called, server.port, ours, "POST", paths[1], small, _FORM)
        calm = await _served(server)
        before = await _settled_mib(server)
        async with _while(*(_upload_and_leave(server.port, paths[0], theirs, large) for _ in range(8))):
            await asyncio.sleep(_LEFT_AFTER_SECONDS)
            upload = asyncio.create_task(_seconds_to_store(server.port, paths[1], ours, small))
            waited, most = await _served(server), server.resident_mib()
            stored = await upload
        with suppress(TimeoutError):
            async with asyncio.timeout(120):
                while server.resident_mib() > before * _BACK_WITHIN:  # noqa: ASYNC110 - another process calls nobody
                    await asyncio.sleep(0.5)
        after = server.resident_mib()
        _tell("uploads", median_s=waited, stored_s=stored, mib_before=before, mib_most=most, mib=after)
        assert stored < _STORED_SECONDS
        assert waited < max(_SERVED_SECONDS, _SERVED_TIMES * calm)
        assert after < before * _BACK_WITHIN


async def _seconds_to_store(port: int, path: str, token: str, form: bytes) -> float:
    began = time.monotonic()
    await asyncio.to_thread(_called, port, token, "POST", path, form, _FORM)
    return time.monotonic() - began


async def _upload_and_leave(port: int, path: str, token: str, form: bytes) -> None:
    """Again and again, until it is cancelled."""
    head = f"POST {path} HTTP/1.1\r\nHost: docent\r\nAuthorization: Bearer {token}\r\nContent-Type: {_FORM}\r\n"
    while True:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            with suppress(ConnectionError):
                writer.write(f"{head}Content-Length: {len(form)}\r\n\r\n".encode() + form)
                await writer.drain()
            await asyncio.sleep(_LEFT_AFTER_SECONDS)
        finally:
            writer.transport.abort()


def _command(data: Path, *arguments: str, typed: str = "", workspace: str = "") -> Mapping[str, Any]:
    """What it prints as JSON, if it does."""
    ended = subprocess.run(
        [sys.executable, "-m", "app.cli", *arguments],
        env=os.environ | {"DOCENT_DATA": str(data), "DOCENT_WORKSPACE": workspace},
        input=typed.encode(),
        capture_output=True,
        check=True,
    )
    printed: Mapping[str, Any] = json.loads(ended.stdout or "{}")
    return printed


def _called(port: int, token: str, method: str, path: str, body: bytes, kind: str = "application/json") -> Any:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers, method=method)
    with urllib.request.urlopen(asked) as answered:
        return json.load(answered)


def _an_agent(port: int, token: str) -> str:
    made = json.dumps({"name": "Shop", "allowed_origins": ["https://a.example"]}).encode()
    agent_id: str = _called(port, token, "POST", "/v1/agents", made)["id"]
    return agent_id


def _form(name: str, body: bytes) -> bytes:
    """Of the type _FORM."""
    head = f'--form\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    return f"{head}Content-Type: application/octet-stream\r\n\r\n".encode() + body + b"\r\n--form--\r\n"


def _long_docx() -> bytes:
    """Of 18 MiB, with as many paragraphs as are read."""
    return _padded(a_docx("".join(paragraph("A lamp") for _ in range(MAX_PARAGRAPHS - 100))))


def _padded(docx: bytes) -> bytes:
    packed = BytesIO(docx)
    with zipfile.ZipFile(packed, "a") as file:
        file.writestr("word/media/picture.bin", os.urandom(18 * 2**20))
    return packed.getvalue()


def _public_file(port: int, token: str) -> str:
    """The path of one that has 18 MiB."""
    form = _form("manual.docx", _padded(a_docx(paragraph("The manual of a lamp, with a picture."))))
    added = _called(port, token, "POST", f"/v1/agents/{_an_agent(port, token)}/files", form, _FORM)
    _called(port, token, "PATCH", f"/v1/sources/{added['source_id']}", b'{"is_public": true}')
    return f"/v1/files/{added['source_id']}"
