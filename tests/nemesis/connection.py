"""One HTTP request on a connection of its own, as bytes: its reader may stall, and it may end with a reset."""

import asyncio
import json
import re
import socket
import struct
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

SITE = "https://lamps.example"
_SILENCE_SECONDS = 25
_LINGER_ZERO = struct.pack("ii", 1, 0)
_LENGTH = re.compile(r"^content-length: *(\d+)\r$", re.MULTILINE)


class Refused(Exception):
    """A response that is no stream."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(f"{status} {said}")
        self.status = status


class Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._is_chunked = False
        self._length: int | None = None  # of the body, where the head says it

    async def read_head(self) -> None:
        async with asyncio.timeout(_SILENCE_SECONDS):
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            status = int(head.split()[1])
            self._is_chunked = "transfer-encoding: chunked" in head
            self._length = int(found[1]) if (found := _LENGTH.search(head)) else None
            if status != 200:
                raise Refused(status, (await self.rest())[:80].decode(errors="replace"))

    async def rest(self) -> bytes:
        """Raises IncompleteReadError if the connection ends before the body does."""
        if self._length is not None:
            async with asyncio.timeout(_SILENCE_SECONDS):
                return await self._reader.readexactly(self._length)
        return b"".join([piece async for piece in self._pieces()])

    async def frames(self) -> AsyncGenerator[dict[str, Any], None]:
        """Each event's data with its id."""
        pending = b""
        async for piece in self._pieces():
            *blocks, pending = (pending + piece).split(b"\n\n")
            for block in blocks:
                fields = dict(line.split(": ", 1) for line in block.decode("ascii").split("\n") if ": " in line)
                if "data" in fields:
                    yield {"id": int(fields["id"]), **json.loads(fields["data"])}

    async def _pieces(self) -> AsyncIterator[bytes]:
        while True:
            async with asyncio.timeout(_SILENCE_SECONDS):
                if not self._is_chunked:
                    piece = await self._reader.read(65536)
                elif size := int((await self._reader.readuntil(b"\r\n")), 16):
                    piece = (await self._reader.readexactly(size + 2))[:-2]
                else:
                    piece = b""
            if not piece:
                return
            yield piece

    def reset(self) -> None:
        """The next close says RST and not FIN."""
        connected: socket.socket = self._writer.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
        self._writer.transport.abort()


@asynccontextmanager
async def requested(
    port: int, path: str, body: object | None, more_headers: Mapping[str, str]
) -> AsyncIterator[Connection]:
    """POST with a body, GET without. Raises Refused, OSError, IncompleteReadError, TimeoutError."""
    async with asyncio.timeout(_SILENCE_SECONDS):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        content = b"" if body is None else json.dumps(body).encode()
        headers = {
            "Host": "docent.example",
            "Origin": SITE,
            "Connection": "close",
            "Content-Length": str(len(content)),
            **({"Content-Type": "application/json"} if content else {}),
            **more_headers,
        }
        lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
        connection = Connection(reader, writer)
        await connection.read_head()
        yield connection
    finally:
        writer.close()
