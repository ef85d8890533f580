"""Serves the demonstration website on loopback, with the widget's script tag in every page."""

import hashlib
import json
import mimetypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from importlib.resources.abc import Traversable
from socketserver import TCPServer
from typing import Any
from urllib.parse import unquote, urlsplit

_TEXTS = frozenset({".html", ".xml", ".txt"})
_TAG_PLACE, _BASE_PLACE = "<!-- docent-widget -->", "{{base}}"
_VISIT_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Docent</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><main><h1>The widget is in the corner</h1><p>It answers from the website that was just read.</p></main>
<!-- docent-widget --></body></html>"""


class DemoSite:
    """`tag` is the widget's script tag, "" until it is known. `base` is "http://127.0.0.1:PORT"."""

    def __init__(self) -> None:
        self.tag = ""
        self.base = ""
        self.root: Traversable = files("app") / "demo_site"
        self.redirects: dict[str, str] = json.loads((self.root / "site.json").read_text("utf-8"))["redirects"]

    def file_at(self, path: str) -> Traversable | None:
        """The file at a URL path; for a folder, its index.html."""
        parts = [part for part in path.split("/") if part]
        if any(part.startswith(".") for part in parts) or path.endswith((".json", ".md")):
            return None
        found = self.root.joinpath(*parts) if parts else self.root
        if found.is_dir():
            found = found / "index.html"
        return found if found.is_file() else None

    def body_of(self, found: Traversable) -> bytes:
        if not any(found.name.endswith(ending) for ending in _TEXTS):
            return found.read_bytes()
        return self.filled(found.read_text("utf-8"))

    def filled(self, text: str) -> bytes:
        return text.replace(_BASE_PLACE, self.base).replace(_TAG_PLACE, self.tag).encode()

    def visit_page(self) -> bytes:
        """A page with nothing but the widget, for demonstrations of other websites."""
        return self.filled(_VISIT_PAGE)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise each body waits 40 ms for the acknowledgement of its headers

    def __init__(self, site: DemoSite, *connection: Any) -> None:
        self._site = site
        super().__init__(*connection)  # this handles the request at once

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        found = self._site.file_at(path)
        if path == "/try-the-widget":
            self._answer(200, self._site.visit_page(), "text/html; charset=utf-8")
        elif path in self._site.redirects:
            self._redirect(self._site.redirects[path])
        elif found is None:
            self._answer(404, b"<!doctype html><title>Not found</title><h1>Not found</h1>", "text/html")
        elif found.name == "index.html" and not path.endswith(("/", ".html")):
            self._redirect(f"{path}/")
        else:
            kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
            charset = "; charset=utf-8" if kind.startswith("text/") or kind.endswith("xml") else ""
            self._answer(200, self._site.body_of(found), kind + charset)

    do_HEAD = do_GET  # noqa: N815 - the library's name

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Logs nothing, to keep the demo's terminal clear."""

    def _redirect(self, target: str) -> None:
        self.send_response(301)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if status == 200 and self.headers.get("If-None-Match") == etag:
            status, body = 304, b""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", etag)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    def server_bind(self) -> None:
        """Like the library's, without its reverse DNS lookup of the address."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """Logs nothing: browsers often close connections early."""


@contextmanager
def serve_demo_site() -> Iterator[DemoSite]:
    """Serve the site on a free port of 127.0.0.1 while the block runs."""
    site = DemoSite()
    server = _Server(("127.0.0.1", 0), partial(_Handler, site))
    site.base = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, name="demo site", daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
