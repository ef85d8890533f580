"""`docent demo --once --json`: the main job from nothing, in real processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.timeout(300)
def test_the_demo_crawls_answers_and_finds_the_gap(tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
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
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280, check=False)
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
