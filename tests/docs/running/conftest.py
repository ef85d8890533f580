"""The tutorial, walked once from its first block to the closed gap, on ports of its own."""

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from app.cli.demo.script import ApiClient
from tests.docs.fenced_blocks import Block, blocks
from tests.docs.running.terminal import Terminal, second_terminal

PASSWORD = "correct horse battery"
SURE, UNANSWERED = "Can I send a lamp back?", "Can you repair a broken switch?"
_WAIT_SECONDS = 500


@dataclass
class Walk:
    """`printed` is what each block printed, by how it begins; `answers` what visitors got."""

    folder: Path
    site: str
    base: str
    terminal: Terminal
    printed: dict[str, str] = field(default_factory=dict)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    gap_states: list[str] = field(default_factory=list)
    client: ApiClient = field(default_factory=lambda: ApiClient("", ""))
    token: str = ""
    agent_id: str = ""

    def here(self, code: str) -> str:
        """A block, for this site and server."""
        for shown, real in (
            ("http://127.0.0.1:8701", self.site),
            ("127.0.0.1:8701", self.site.removeprefix("http://")),
            ("http.server 8701", f"http.server {self.site.rpartition(':')[2]}"),
            ("http://127.0.0.1:8000", self.base),
        ):
            code = code.replace(shown, real)
        return code

    def run(self, code: str, typed: str = "") -> str:
        self.printed[code.strip()] = printed = self.terminal.run(self.here(code), typed)
        return printed

    def ask(self, question: str) -> None:
        """As the widget on the shop's page asks."""
        visitor = self.client.open_conversation(self.agent_id, f"{self.site}/", self.site)
        events = list(self.client.ask(visitor, question, f"{self.site}/", self.site))
        self.answers[question] = next(event for event in events if event["event"] == "done")

    def gap(self) -> dict[str, Any]:
        gaps: list[dict[str, Any]] = self.client.get(f"/v1/agents/{self.agent_id}/gaps")["items"]
        return next(gap for gap in gaps if gap["question"] == UNANSWERED)


def shell_blocks(page: str) -> list[Block]:
    return [block for block in blocks() if block.page == page and block.language in ("sh", "bash")]


def wait_until(is_so: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + _WAIT_SECONDS
    pause = threading.Event()
    while not is_so():
        assert time.monotonic() < give_up_at
        pause.wait(0.2)


@pytest.fixture(scope="session")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    folder = tmp_path_factory.mktemp("tutorial")
    site, base = (f"http://127.0.0.1:{port}" for port in _free_ports(2))
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "COLUMNS": "200",
        "DOCENT_PORT": base.rpartition(":")[2],
        "DOCENT_CRAWL_DELAY_SECONDS": "0",
    }
    walk = Walk(folder, site, base, Terminal(folder, environment))
    *before, serve, repair, again, clean = [block.code for block in shell_blocks("docs/tutorial.md")]
    assert "docent serve" in serve
    for code in before:
        walk.run(code, typed=PASSWORD if "operator add" in code else "")
    with second_terminal(walk.here(serve), folder, environment, folder / "serve.log"):
        walk.client = ApiClient(base, "")
        wait_until(walk.client.is_ready)
        walk.token = walk.terminal.run("docent token create tests 2>/dev/null").strip()
        walk.client = ApiClient(base, walk.token)
        walk.agent_id = walk.client.get("/v1/agents")["items"][0]["id"]
        walk.ask(SURE)
        walk.ask(UNANSWERED)
        walk.gap_states.append(walk.gap()["state"])
        walk.run(repair)
        walk.run(again)
        wait_until(lambda: walk.gap()["state"] != "open")
        walk.gap_states.append(walk.gap()["state"])
        walk.client.post(f"/v1/gaps/{walk.gap()['id']}/resolve")
        walk.gap_states.append(walk.gap()["state"])
        yield walk
    walk.run(clean)
    assert not (folder / "lamps").exists()
    walk.terminal.close()


def _free_ports(count: int) -> list[int]:
    opened = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in opened]
    for each in opened:
        each.close()
    return ports
