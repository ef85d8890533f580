"""A website on a loopback port, of files that a tool has built."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class Website:
    """`origin` shows the files of `folder`, which a test may change, as may be their `policy`."""

    origin: str
    folder: Path
    policy: str = field(default="")

    def write(self, html: str) -> None:
        (self.folder / "index.html").write_text(html, "utf-8")


@contextmanager
def website(folder: Path) -> Iterator[Website]:
    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            self.directory = str(shown.folder)
            return super().translate_path(path)

        def do_GET(self) -> None:
            if self.path == "/favicon.ico":  # which browsers ask for by themselves
                self.send_response(204)
                return self.end_headers()
            return super().do_GET()

        def end_headers(self) -> None:
            if shown.policy:
                self.send_header("Content-Security-Policy", shown.policy)
            self.send_header("Cache-Control", "no-store")
            super().end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    shown = Website(f"http://127.0.0.1:{server.server_port}", folder)
    thread = threading.Thread(target=server.serve_forever, name="website", daemon=True)
    thread.start()
    try:
        yield shown
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
