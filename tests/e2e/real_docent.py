"""Docent as its operator runs it: real processes on a folder of their own, which have read the demonstration site."""

import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx2

from app.agents.pages.embed_tag import embed_tag
from app.cli.demo.script import ApiClient, Demonstration, nimbrel_plan
from app.cli.demo.site_server import DemoSite, serve_demo_site
from tests.doubles.fake_openai import FakeOpenAI

OPERATOR, PASSWORD = "ann@example.com", "correct horse battery"
WARRANTY = "How long is the warranty on a station?"
PERSON = "Can I talk to a person?"
UNANSWERABLE = "Does it measure the UV index?"

_START_SECONDS = 400  # for machines that have much else to do
_STOP_SECONDS = 120
_LOOK_SECONDS = 0.1


@dataclass
class HostPage:
    """A website of one page, whose head, body and headers a test chooses."""

    origin: str
    headers: dict[str, str] = field(default_factory=dict)
    html: str = ""

    def write(self, body: str, headers: dict[str, str] | None = None) -> None:
        self.headers = headers or {}
        self.html = f"<!doctype html><html lang=en><title>Host</title><body><h1>Host</h1>{body}</body></html>"


@dataclass
class RealDocent:
    """`base` quotes the pages; `model_base` is a second web process on the same folder, with `provider` as its model.

    `demo` and `host` may carry the widget; `demo` is what was read.
    """

    base: str
    model_base: str
    agent_id: str
    client: ApiClient
    token: str
    provider: FakeOpenAI
    demo: DemoSite
    host: HostPage
    record: Path

    def embed(self, base: str = "", attributes: str = "") -> str:
        """The tag of this agent, on every page of the demonstration site from now on."""
        tag = embed_tag(base or self.base, self.agent_id)
        self.demo.tag = tag.replace("<script ", f"<script {attributes} ") if attributes else tag
        return self.demo.tag

    def conversations(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.client.get(f"/v1/agents/{self.agent_id}/conversations")["items"]
        return found

    def gaps(self) -> list[str]:
        return [gap["question"] for gap in self.client.get(f"/v1/agents/{self.agent_id}/gaps")["items"]]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Straight from the system of record."""
        with closing(sqlite3.connect(f"file:{self.record}?mode=ro", uri=True)) as record:
            return record.execute(query).fetchall()


@contextmanager
def real_docent(folder: Path, settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[RealDocent]:
    """`settings` are variables beside those that the tests need."""
    with ExitStack() as opened:
        demo = opened.enter_context(serve_demo_site())
        host = opened.enter_context(_host_page())
        provider = opened.enter_context(FakeOpenAI().running())
        record = folder / "data" / "docent.sqlite"
        environment = {
            "DOCENT_DATA": str(folder / "data"),
            "DOCENT_PORT": "0",
            "DOCENT_LOG_FORMAT": "json",
            "DOCENT_CRAWL_ALLOW": demo.base.removeprefix("http://"),
            "DOCENT_CRAWL_DELAY_SECONDS": "0",
            **settings,
        }
        _command(environment, "operator", "add", OPERATOR, typed=PASSWORD)
        token = _command(environment, "token", "create", "tests")["token"]
        base = opened.enter_context(_serving(environment, folder / "docent.log", "--with-worker"))
        client = ApiClient(base, token)
        plan = replace(nimbrel_plan(demo.base, ()), origins=(demo.base, host.origin))
        demonstration = Demonstration(client, plan)
        demonstration.set_up()
        # The models of these tests say what the tests want said, not what pages say.
        agent = f"/v1/agents/{demonstration.agent_id}"
        httpx2.patch(
            f"{base}{agent}", json={"answer_check": "off"}, headers={"Authorization": f"Bearer {token}"}
        ).raise_for_status()
        client.post(f"{agent}/publish")
        ended = demonstration.crawl(lambda _: None)
        assert ended["state"] == "finished", ended
        model = {"DOCENT_MODEL_URL": provider.url, "DOCENT_MODEL_NAME": "fake"}
        model_base = opened.enter_context(_serving(environment | model, folder / "model.log"))
        yield RealDocent(base, model_base, demonstration.agent_id, client, token, provider, demo, host, record)


@contextmanager
def _serving(environment: dict[str, str], log: Path, *options: str) -> Iterator[str]:
    """`docent serve` until the block is left; yields where it listens once it is ready."""
    command = [sys.executable, "-m", "app.cli", "serve", *options]
    with log.open("ab") as written:
        process = subprocess.Popen(command, env=os.environ | environment, stdout=written, stderr=written)
    try:
        yield _ready_base(process, log)
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _ready_base(process: "subprocess.Popen[bytes]", log: Path) -> str:
    give_up_at = time.monotonic() + _START_SECONDS
    while time.monotonic() < give_up_at:
        base = _said_base(log)
        if base and ApiClient(base, "").is_ready():
            return base
        try:
            process.wait(_LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        break
    raise AssertionError(f"docent serve was not ready: {log.read_text(errors='replace')[-3000:]}")


def _said_base(log: Path) -> str | None:
    for line in log.read_text(errors="replace").splitlines():
        if line.startswith("{") and line.endswith("}") and (said := json.loads(line)).get("event") == "server.started":
            return str(said["url"])
    return None


def _command(environment: dict[str, str], *words: str, typed: str = "") -> dict[str, Any]:
    """What `docent ... --json` printed, with a line typed into it."""
    ended = subprocess.run(
        [sys.executable, "-m", "app.cli", *words, "--json"],
        input=f"{typed}\n",
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=_START_SECONDS,
    )
    assert ended.returncode == 0, ended.stderr
    printed: dict[str, Any] = json.loads(ended.stdout)
    return printed


@contextmanager
def _host_page() -> Iterator[HostPage]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = page.html.encode() if self.path == "/" else b""
            self.send_response(200 if body else 404)
            headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body)), **page.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    page = HostPage(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, name="host page", daemon=True)
    thread.start()
    try:
        yield page
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
