"""`make docs-served`: the documentation on loopback, with the widget and search of an agent that has read it."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from app.cli.demo.command import free_port, orderly_end, running_server
from app.cli.demo.script import ApiClient
from tests.docs.fenced_blocks import ROOT

QUESTIONS = (
    "How do I put the widget on my website?",
    "Can it run without a chat model?",
    "How do I close a gap?",
)
NOT_FOR_VISITORS = ["/docs/*-log.html", "/docs/decisions/*"]
_LOOK_SECONDS = 0.2


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as its base names it
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The folder's files; yields the origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def agent_of(client: ApiClient, origin: str) -> str:
    """An agent for the website at that origin, which has read nothing."""
    draft = {"name": "Docent", "allowed_origins": [origin], "starter_prompts": QUESTIONS}
    agent_id: str = client.post("/v1/agents", draft)["id"]
    client.post(f"/v1/agents/{agent_id}/publish")
    return agent_id


def have_read(client: ApiClient, agent_id: str, url: str) -> dict[str, int]:
    """The pages by what became of them."""
    source = client.post(f"/v1/agents/{agent_id}/sources", {"kind": "site", "url": url, "exclude": NOT_FOR_VISITORS})[
        "id"
    ]
    client.post(f"/v1/sources/{source}/sync")
    while True:
        run = client.get(f"/v1/sources/{source}")["run"]
        if run["state"] not in {"queued", "running"}:
            assert run["state"] == "finished", run["stop_reason"]
            counts: dict[str, int] = run["counts"]
            return counts
        time.sleep(_LOOK_SECONDS)


def main() -> None:
    site = ROOT / "build" / "docs"
    site.mkdir(parents=True, exist_ok=True)
    with orderly_end(), ExitStack() as closing:
        data = closing.enter_context(tempfile.TemporaryDirectory(prefix="docent-docs-"))
        origin = closing.enter_context(served(site))
        base = f"http://127.0.0.1:{free_port(None)}"
        settings = {
            "DOCENT_DATA": data,
            "DOCENT_PORT": base.rpartition(":")[2],
            "DOCENT_CRAWL_ALLOW": origin.removeprefix("http://"),
            "DOCENT_CRAWL_DELAY_SECONDS": "0",
            "DOCENT_LOG_LEVEL": "warning",
        }
        create = [sys.executable, "-m", "app.cli", "token", "create", "docs"]
        made = subprocess.run(create, env=os.environ | settings, check=True, stdout=subprocess.PIPE, text=True)
        client = ApiClient(base, made.stdout.strip())
        closing.enter_context(running_server(client, settings))
        agent_id = agent_of(client, origin)
        subprocess.run(["make", "--silent", "docs", f"DOCENT={base}", f"AGENT={agent_id}"], cwd=ROOT, check=True)
        counts = have_read(client, agent_id, f"{origin}/docs/index.html")
        print(f"Read {counts.get('indexed', 0)} pages. Open {origin}/docs/index.html; Ctrl-C ends it.")  # noqa: T201
        threading.Event().wait()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("Ending.")  # noqa: T201
