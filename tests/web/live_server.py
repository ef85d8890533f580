"""A real server on a loopback port, in the test's own event loop: for what only shows while an answer streams."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import uvicorn
from starlette.applications import Starlette

from tests.web.house import Json


@asynccontextmanager
async def serving(app: Starlette) -> AsyncIterator[tuple[uvicorn.Server, httpx2.AsyncClient]]:
    """The socket listens before the server runs, so that nobody has to wait for it."""
    listener = socket.create_server(("127.0.0.1", 0))
    # asyncio does so for the sockets that it makes itself; without it each answer waits 40 ms for an acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=10))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        # Without TLS: to read who may sign certificates takes longer than most tests here.
        async with httpx2.AsyncClient(base_url=base, trust_env=False, timeout=120, verify=False) as client:
            yield server, client
    finally:
        server.should_exit = True
        await running


class FrameReader:
    """Reads a stream frame by frame, as it comes."""

    def __init__(self, response: httpx2.Response) -> None:
        self._lines = response.aiter_lines()
        self.comments: list[str] = []

    async def next(self) -> Json | None:
        """The next event's data with its id, or None at the end; comments are put aside."""
        number, data = 0, ""
        async for line in self._lines:
            if line.startswith(":"):
                self.comments.append(line)
            elif line.startswith("id: "):
                number = int(line[4:])
            elif line.startswith("data: "):
                data = line[6:]
            elif not line and data:
                return {"id": number, **json.loads(data)}
        return None

    async def rest(self) -> list[Json]:
        found = []
        while (frame := await self.next()) is not None:
            found.append(frame)
        return found

    async def comment(self) -> str:
        """The next comment; events before it are not expected."""
        async for line in self._lines:
            if line.startswith(":"):
                return line
        raise AssertionError("the stream ended")
