"""A web server on loopback that writes exactly the bytes it is told to, however wrong they are."""

import socket
import socketserver
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Respond = Callable[["Asked"], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: its path with the query, and its headers with lower-case names."""

    path: str
    headers: Mapping[str, str]


def answer(body: str | bytes = b"", status: int = 200, content_type: str = "text/html", **headers: str) -> list[bytes]:
    """The bytes of one good answer that ends with its connection; header names in snake_case."""
    content = body.encode() if isinstance(body, str) else body
    return [head(status, content_type, content_length=str(len(content)), **headers), content]


def head(status: int = 200, content_type: str = "text/html", **headers: str) -> bytes:
    """Status line and headers, and the empty line behind them."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = {"Content-Type": content_type, "Connection": "close", **named}
    text = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Said\r\n{text}\r\n".encode()


def page(*paths: str, text: str = "") -> str:
    """A page with enough words of its own, and links."""
    links = "".join(f'<li><a href="{path}">{path}</a>' for path in paths)
    words = text or f"This page is about {' and '.join(paths) or 'itself'}, and about nothing else in the world."
    return f"<html><head><title>A page</title></head><body><main><p>{words}</p></main><ul>{links}</ul></body></html>"


@dataclass
class RawSite:
    """`routes` by path with query, then `otherwise`. `asked` are the paths in order."""

    port: int
    routes: dict[str, Respond] = field(default_factory=dict)
    otherwise: Respond = lambda _: answer("nothing here", 404)
    asked: list[str] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def says(self, path: str, *pieces: bytes) -> None:
        """Send these bytes and close."""
        self.routes[path] = lambda _: pieces

    def serves(self, path: str, body: str | bytes, status: int = 200, **headers: str) -> None:
        """Send one good answer."""
        self.says(path, *answer(body, status, **headers))

    def redirects(self, path: str, location: str, status: int = 302) -> None:
        self.says(path, *answer("", status, location=location))

    def without_end(self, start: bytes, piece: bytes, pause_seconds: float = 0.0) -> Respond:
        """`start`, then `piece` again and again until the reader leaves."""

        def respond(_: Asked) -> Iterator[bytes]:
            yield start
            while not self.closing.wait(pause_seconds):
                yield piece

        return respond

    def silent(self, start: bytes = b"") -> Respond:
        """`start`, then nothing; the connection stays open."""

        def respond(_: Asked) -> Iterator[bytes]:
            yield start
            self.closing.wait()

        return respond


@contextmanager
def raw_site(address: str = "127.0.0.1", port: int = 0) -> Iterator[RawSite]:
    """Serve until the block ends."""
    site = RawSite(port)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(ConnectionError):
                asked = _read_request(self.rfile)
                site.asked.append(asked.path)
                for piece in site.routes.get(asked.path, site.otherwise)(asked):
                    self.wfile.write(piece)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True
        address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        request_queue_size = 64

    with Server((address, port), Handler) as server:
        site.port = server.server_address[1]
        thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
        thread.start()
        try:
            yield site
        finally:
            site.closing.set()
            server.shutdown()
            thread.join()


def _read_request(lines: Iterable[bytes]) -> Asked:
    received = iter(lines)
    request_line = next(received, b"").decode("latin-1").split(" ")
    headers: dict[str, str] = {}
    for line in received:
        name, colon, value = line.decode("latin-1").strip().partition(":")
        if not colon:
            break
        headers[name.lower()] = value.strip()
    return Asked(request_line[1] if len(request_line) > 1 else "", headers)
