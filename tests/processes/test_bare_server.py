"""`docent serve` with no proxy before it, and callers who send half of something: everybody else is served."""

import asyncio
import re
import socket
from contextlib import suppress
from pathlib import Path

from tests.processes.bare_server import bare_server

_MIB = 2**20
_HALF_A_REQUEST = b"POST /v1/widget/init HTTP/1.1\r\nHost: docent\r\nX-Half: "


async def test_a_header_without_end_takes_no_memory_and_stalls_nobody(tmp_path: Path) -> None:
    async with bare_server(tmp_path) as server:
        await server.answers_in()
        before = server.resident_mib()
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        slowest, sent = 0.0, 0
        try:
            writer.write(_HALF_A_REQUEST)
            while sent < 64 * _MIB:
                writer.write(b"a" * _MIB)
                await writer.drain()
                sent += _MIB
                slowest = max(slowest, await server.answers_in())
        except ConnectionError:
            pass
        finally:
            writer.close()
        assert sent < 64 * _MIB, "it read a header of 64 MiB"
        assert server.resident_mib() - before < 16
        assert slowest < 5


async def test_an_empty_installation_says_where_its_first_account_is_made(tmp_path: Path) -> None:
    async with bare_server(tmp_path) as server:
        found = re.search(r'"create_one": "http://127\.0\.0\.1:(\d+)(/[^"]+)"', (tmp_path / "log").read_text())
        assert found is not None
        assert int(found[1]) == server.port
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(f"GET {found[2]} HTTP/1.1\r\nHost: docent\r\nConnection: close\r\n\r\n".encode())
        assert b"Create the first account" in await reader.read()
        writer.close()


async def test_half_sent_requests_keep_nobody_out_and_their_descriptors_come_back(tmp_path: Path) -> None:
    async with bare_server(tmp_path, "--limit-header-seconds", "3") as server:
        await server.answers_in()
        halves = [_half_a_request(server.port, f"127.0.0.{2 + number % 11}") for number in range(1100)]
        try:
            for _ in range(5):
                assert await server.answers_in() < 5
            await asyncio.to_thread(_wait_until_closed, halves)
            assert server.descriptors() < 200
            assert await server.answers_in() < 5
        finally:
            for half in halves:
                half.close()


def _half_a_request(port: int, address: str) -> socket.socket:
    """Sent from an address of its own: no limit for each address is what holds them."""
    half = socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(address, 0))
    half.sendall(_HALF_A_REQUEST)
    return half


def _wait_until_closed(halves: list[socket.socket]) -> None:
    for half in halves:
        with suppress(ConnectionResetError):
            while half.recv(1000):
                pass
