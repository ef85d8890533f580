"""Pages that carry one chat widget each, as the widget's own README says, on a loopback server that is warm."""

import gzip
import subprocess
import tarfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from app.web.widget_script import built_widget

_SCRIPT = "text/javascript; charset=utf-8"
_KINDS = {".js": _SCRIPT, ".mjs": _SCRIPT, ".css": "text/css; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class Contender:
    """`package` is name@version on npm, or empty for ours.

    `seen` leads to what a visitor can use: a selector, or that of a host and one inside its shadow root.
    """

    name: str
    package: str
    tag: str
    seen: tuple[str, ...]
    shows: str = "launcher"


CONTENDERS = (
    Contender(
        "Docent",
        "",
        '<script async src="/docent/widget.js" data-agent="a1"></script>',
        ("docent-widget", ".launcher"),
    ),
    Contender(
        "@n8n/chat",
        "@n8n/chat@1.37.0",
        '<link href="/n8n-chat/style.css" rel="stylesheet">'
        '<script type="module">import { createChat } from "/n8n-chat/chat.bundle.es.js";'
        'createChat({ webhookUrl: location.origin + "/api" });</script>',
        (".chat-window-toggle",),
    ),
    Contender(
        "flowise-embed",
        "flowise-embed@3.1.6",
        '<script type="module">import Chatbot from "/flowise-embed/web.js";'
        'Chatbot.init({ chatflowid: "a1", apiHost: location.origin + "/api" });</script>',
        ("flowise-chatbot", "button"),
    ),
    Contender(
        "deep-chat",
        "deep-chat@2.4.2",
        '<script type="module" src="/deep-chat/deepChat.bundle.js"></script><deep-chat></deep-chat>',
        ("deep-chat", "#text-input"),
        "its input, as it has no launcher",
    ),
)

# The clock starts right before the tag; it stops in the first frame in which the launcher has a place on the screen.
_CLOCK = """<script>
  const seen = %s;
  const find = () => seen.reduce((root, selector) => (root?.shadowRoot ?? root)?.querySelector(selector), document);
  const look = () => {
    const box = find()?.getBoundingClientRect();
    if (box?.width && box.height) window.shownAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  window.tagAt = performance.now();
</script>"""
_PAGE = "<!doctype html><html lang=en><meta charset=utf-8><title>Host</title><body><h1>Host</h1>{}{}</body></html>"


def slug(contender: Contender) -> str:
    return contender.name.lower().strip("@").replace("/", "-")


def fetch_missing(folder: Path) -> None:
    """Downloads the packages into `folder` and unpacks what a page can load of them. Nothing of them is run here."""
    folder.mkdir(parents=True, exist_ok=True)
    for contender in CONTENDERS:
        place = _place(contender, folder)
        if place.exists():
            continue
        command = ["npm", "pack", "--silent", "--ignore-scripts", contender.package]
        packed = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.split()[-1]
        with tarfile.open(folder / packed) as archive:
            # Flat: what lies deeper in `dist` belongs to tests and demonstrations.
            files = {
                Path(member.name).name: found.read()
                for member in archive.getmembers()
                if Path(member.name).parent == Path("package/dist") and Path(member.name).suffix in _KINDS
                if (found := archive.extractfile(member))
            }
        place.mkdir()
        for name, body in files.items():
            (place / name).write_bytes(body)


def _place(contender: Contender, folder: Path) -> Path:
    return folder / contender.package.strip("@").replace("/", "-") if contender.package else built_widget()


def zipped_files(folder: Path) -> dict[str, tuple[str, bytes]]:
    """Media type and gzipped body of every file of the widgets, by its path on the server."""
    return {
        f"/{slug(contender)}/{path.name}": (_KINDS[path.suffix], gzip.compress(path.read_bytes(), 9))
        for contender in CONTENDERS
        for path in _place(contender, folder).iterdir()
        if path.suffix in _KINDS
    }


@contextmanager
def served(files: Mapping[str, tuple[str, bytes]]) -> Iterator[str]:
    """Every page at /SLUG, and the files; any other call is answered `{}`. Yields the origin."""
    bodies = dict(files)
    for contender in CONTENDERS:
        page = _PAGE.format(_CLOCK % list(contender.seen), contender.tag)
        bodies[f"/{slug(contender)}"] = ("text/html; charset=utf-8", gzip.compress(page.encode(), 9))
    nothing = ("application/json", gzip.compress(b"{}"))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            kind, body = bodies.get(self.path, nothing)
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """The table is what is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, name="widget pages", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
