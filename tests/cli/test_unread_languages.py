"""A website in a language that the shipped models do not read: commands say so, and go on."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli

PAGE = "<!doctype html><html lang=fi><title>Lamput</title><main><h1>Lamput</h1><p>Lamppu loistaa yöllä.</p></main>"
SAID = (
    "1 page is Finnish: the shipped models read Arabic, Czech, Danish, Dutch, English, French, German, Greek, "
    "Hungarian, Italian, Polish, Portuguese, Romanian, Russian, Spanish, Swedish, Turkish, Ukrainian and Vietnamese."
)


class FinnishPage(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        is_page = self.path == "/"
        self.send_response(200 if is_page else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.encode() if is_page else b"")

    def log_message(self, *args: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def finnish_site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), FinnishPage) as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()


def test_crawl_and_doctor_name_the_language(finnish_site: str, tmp_path: Path) -> None:
    environment = {"DOCENT_DATA": str(tmp_path), "DOCENT_LOG_LEVEL": "error", "DOCENT_CRAWL_DELAY_SECONDS": "0"}

    def docent(*words: str) -> tuple[str, str]:
        done = CliRunner().invoke(cli, list(words), env=environment)
        assert done.exit_code == 0, done.output
        return done.stdout, done.stderr

    told, aside = docent("crawl", f"http://{finnish_site}/", "--page", "--allow", finnish_site, "--json")
    assert json.loads(told)["counts"] == {"indexed": 1}
    assert SAID in aside
    report = json.loads(docent("doctor", "--json")[0])
    assert report["healthy"]
    assert [note.partition(": ")[2].startswith(SAID) for note in report["notes"]] == [True]
