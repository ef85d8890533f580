"""A real web server on 127.0.0.1, in threads, whose pages are functions."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from crawler.address_policy import AddressPolicy
from tests.doubles.serving import serving


@dataclass(frozen=True)
class Reply:
    """What a page answers. `chunks`, if set, are written one by one instead of `body`, without a length."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: Callable[[], Iterator[bytes]] | None = None


Route = Callable[[Mapping[str, str]], Reply]


@dataclass
class LoopbackSite:
    """`routes` by path with query; anything else is a 404. `asked` lists (path, request headers) in order,
    `posted` the bodies of those that had one."""

    port: int
    routes: dict[str, Route] = field(default_factory=dict)
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    posted: list[bytes] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def policy(self) -> AddressPolicy:
        return AddressPolicy(frozenset({("127.0.0.1", self.port)}))

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def page(self, path: str, body: str | bytes = "", status: int = 200, **headers: str) -> None:
        """Serve one fixed answer; header names in snake_case."""
        content = body.encode() if isinstance(body, str) else body
        named = {name.replace("_", "-").title(): value for name, value in headers.items()}
        reply = Reply(status, content, {"Content-Type": "text/html; charset=utf-8", **named})
        self.routes[path] = lambda _: reply


@contextmanager
def running_site() -> Iterator[LoopbackSite]:
    """Serve until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    site = LoopbackSite(server.server_address[1])
    server.RequestHandlerClass = _handler_for(site)
    with serving(server):
        try:
            yield site
        finally:
            site.closing.set()


def _not_found(_: Mapping[str, str]) -> Reply:
    return Reply(404)


def _handler_for(site: LoopbackSite) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = {name.lower(): value for name, value in self.headers.items()}
            site.asked.append((self.path, asked))
            reply = site.routes.get(self.path, _not_found)(asked)
            try:
                self._send(reply)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def do_POST(self) -> None:
            site.posted.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.do_GET()

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.chunks is None:
                self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            for chunk in reply.chunks() if reply.chunks else iter([reply.body]):
                self.wfile.write(chunk)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
