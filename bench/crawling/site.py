"""HTML documentation as one website, from memory, by a server process that does nothing else."""

import asyncio
import mimetypes
import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

DOCUMENTATION = {
    "postgresql": Path("/usr/share/doc/postgresql-doc-15/html"),
    "python": Path("/usr/share/doc/python3-doc/html"),
}


def missing_documentation() -> list[str]:
    """The Debian packages of the manuals that are not installed."""
    return [folder.parent.name for folder in DOCUMENTATION.values() if not folder.is_dir()]


@contextmanager
def documentation_online() -> Iterator[str]:
    """The origin, such as "http://127.0.0.1:40123"; its root links to each manual."""
    with website_online(_manuals) as origin:
        yield origin


@contextmanager
def website_online(make_pages: Callable[[], Mapping[str, tuple[str, bytes]]]) -> Iterator[str]:
    """The origin of a website of these pages: by path (with its slash), the content type and the body. The server
    process calls `make_pages`, which is therefore a function of a module, or a `partial` of one."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, make_pages), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}"
    finally:
        process.kill()
        process.join()


def _serve(pipe: Connection, make_pages: Callable[[], Mapping[str, tuple[str, bytes]]]) -> None:
    answers = {path.encode(): _answer(content_type, body) for path, (content_type, body) in make_pages().items()}

    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(lambda: _Static(answers), "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def _manuals() -> dict[str, tuple[str, bytes]]:
    links = "".join(f'<li><a href="/{name}/index.html">{name}</a>' for name in DOCUMENTATION)
    root = f"<title>Manuals</title><p>Two manuals that were installed here.<ul>{links}"
    pages = {"/": ("text/html", root.encode())}
    for name, folder in DOCUMENTATION.items():
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                content_type = mimetypes.guess_type(file.name)[0] or "text/plain"
                pages[f"/{name}/{file.relative_to(folder)}"] = (content_type, file.read_bytes())
    return pages


def _answer(content_type: str, body: bytes, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


class _Static(asyncio.Protocol):
    _transport: asyncio.Transport

    def __init__(self, answers: dict[bytes, bytes]) -> None:
        self._answers = answers
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            request, _, self._received = self._received.partition(b"\r\n\r\n")
            target = request.split(b" ", 2)[1].partition(b"?")[0]
            self._transport.write(self._answers.get(target) or _answer("text/plain", b"no such page", "404 Not Found"))
