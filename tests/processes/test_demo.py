"""`docent demo --once --json`: the main job from nothing, in real processes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.store.secret_keys import new_key
from tests.doubles.postgres_server import running_postgres


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """The variables that name it."""
    if request.param == "sqlite":
        yield {}
        return
    with running_postgres() as server:
        yield {"DOCENT_DATABASE_URL": server.url, "DOCENT_SECRET_KEY": new_key()}


def test_the_demo_crawls_answers_and_finds_the_gap(tmp_path: Path, database: dict[str, str]) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)} | database
    command = [
        sys.executable,
        "-m",
        "app.cli",
        "demo",
        "--once",
        "--json",
        "--ask",
        "How do I verify the signature of a webhook?",
    ]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500, check=False)
    assert ended.returncode == 0, ended.stderr
    [line] = ended.stdout.splitlines()
    report = json.loads(line)
    assert report["pages"] >= 28
    assert report["chunks"] == report["stores"]["vectors"] == report["stores"]["keywords"] > report["pages"]
    assert report["stores"]["astray"] == 0
    answered, curated, missing, asked = report["questions"]
    assert answered["answered_by"] == "extractive"
    assert answered["citations"]
    assert "3 years" in answered["answer"]
    assert curated["answered_by"] == "curated"
    assert missing["low_confidence"]
    assert any("/integrations/webhooks/" in citation["url"] for citation in asked["citations"])
    right = {golden["question"] for golden in report["golden"] if golden["is_right"]}
    assert right >= {"My station is offline", "How do I return a station?"}
    assert report["gaps"] == [{"question": missing["question"], "count": 1}]
    assert list(tmp_path.glob("docent-*")) == [], "the demo leaves nothing behind"


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks processes up in /proc")
def test_sigterm_ends_its_server_and_removes_its_folder(tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with (tmp_path / "log").open("wb") as log:
        demo = subprocess.Popen([sys.executable, "-m", "app.cli", "demo"], env=environment, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 300
        while not (servers := _children(demo.pid)):
            assert demo.poll() is None, (tmp_path / "log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert list(tmp_path.glob("docent-demo-*"))
        demo.send_signal(signal.SIGTERM)
        assert demo.wait(60) == 128 + signal.SIGTERM
    finally:
        demo.kill()
    assert list(tmp_path.glob("docent-demo-*")) == []
    assert [server for server in servers if _is_there(server)] == []
