"""A real server with small limits, and callers who send and read as they please."""

import asyncio
import json
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import uvicorn
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from app.web.client_address import ClientAddresses
from app.web.middleware.bounded_http import bounded_http
from app.web.middleware.connection_limits import ConnectionLimits, ConnectionMeter, OpenConnections

GET = b"GET /plain HTTP/1.1\r\nHost: docent\r\n\r\n"
LARGE = GET.replace(b"plain", b"large")
WHOLE = GET.replace(b"plain", b"whole")
CLOSE = GET[:-2] + b"Connection: close\r\n\r\n"
SMALL_BYTES = 60_000
LARGE_BYTES = 8 * 2**20  # more than the system buffers
CHUNKED = b"POST /body HTTP/1.1\r\nHost: docent\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwords\r\n"


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"], scope="module")
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    """`docent serve` runs on uvloop, which treats closed connections differently."""
    return "asyncio", {"use_uvloop": request.param}


@dataclass
class Site:
    """An application with an answer of each kind. `goes_on` ends the stream; `has_left` is set by a caller who does."""

    metrics: CollectorRegistry = field(default_factory=CollectorRegistry)
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)
    has_left: asyncio.Event = field(default_factory=asyncio.Event)
    callers: list[StreamWriter] = field(default_factory=list)
    begun: int = 0
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    receive_bytes: int | None = None

    async def plain(self, request: Request) -> Response:
        self.begun += 1
        return PlainTextResponse("answered")

    async def large(self, request: Request) -> Response:
        """In pieces, after each of which it waits until the reader has taken most of it."""

        async def parts() -> AsyncIterator[bytes]:
            try:
                for _ in range(LARGE_BYTES // 2**16):
                    yield b"a" * 2**16
            finally:
                self.has_left.set()

        self.begun += 1
        return StreamingResponse(parts(), headers={"Content-Length": str(LARGE_BYTES)})

    async def small(self, request: Request) -> Response:
        return Response(b"a" * SMALL_BYTES)

    async def whole(self, request: Request) -> Response:
        """At once."""
        self.begun += 1
        return Response(b"a" * LARGE_BYTES)

    async def body(self, request: Request) -> Response:
        try:
            body = await request.body()
        except ClientDisconnect:
            self.has_left.set()
            raise
        return JSONResponse({"bytes": len(body), "headers": [name.decode() for name, _ in request.headers.raw]})

    async def stream(self, request: Request) -> Response:
        async def parts() -> AsyncIterator[bytes]:
            yield b"first "
            await self.goes_on.wait()
            yield b"last"

        return StreamingResponse(parts())

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def shrink_buffers(self) -> None:
        """Those of the system, for connections made from now on."""
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.receive_bytes = 4096

    async def connected(self, address: str = "127.0.0.1") -> tuple[StreamReader, StreamWriter]:
        """Its reader buffers little, so that whoever does not call it reads nothing."""
        own = socket.socket()
        own.setblocking(False)
        if self.receive_bytes:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_bytes)
        own.bind((address, 0))
        await asyncio.get_running_loop().sock_connect(own, ("127.0.0.1", self.port))
        reader, writer = await asyncio.open_connection(sock=own, limit=4096)
        self.callers.append(writer)
        return reader, writer

    async def answer_to(self, *parts: bytes) -> bytes:
        """All that comes until the server closes."""
        reader, writer = await self.connected()
        try:
            for part in parts:
                writer.write(part)
                await writer.drain()
            return await reader.read()
        except ConnectionError:
            return b""

    def refused(self, reason: str) -> float | None:
        return self.metrics.get_sample_value("docent_connections_refused_total", {"reason": reason})


@asynccontextmanager
async def bounded(proxies: tuple[str, ...] = (), keep_alive: float = 5, **limits: float) -> AsyncIterator[Site]:
    site = Site()
    app = Starlette(
        routes=[
            Route("/plain", site.plain),
            Route("/refused", site.plain, methods=["POST"]),
            Route("/body", site.body, methods=["POST"]),
            Route("/stream", site.stream),
            Route("/large", site.large),
            Route("/whole", site.whole),
            Route("/small", site.small),
        ]
    )
    connections = OpenConnections(
        ConnectionLimits(**limits),  # type: ignore[arg-type]  # the numbers are of either kind
        ClientAddresses(proxies).connection_key,
        ConnectionMeter(site.metrics),
    )
    config = uvicorn.Config(
        app,
        http=bounded_http(connections),
        log_level="critical",
        lifespan="off",
        timeout_graceful_shutdown=1,
        timeout_keep_alive=keep_alive,  # type: ignore[arg-type]  # less than a second will do here
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[site.listener]))
    try:
        yield site
    finally:
        for caller in site.callers:
            caller.close()
        server.should_exit = True
        await running


def error_of(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]["code"]
