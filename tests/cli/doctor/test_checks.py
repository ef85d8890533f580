"""What `docent doctor` looks at beside models and indexes, and the words by which each is mended."""

import asyncio
import json
import os
import re
import shutil
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.providers.indexes.lancedb_vector_index import LanceDBVectorIndex
from tests.contracts.vector_index_contract import AGENT, DIMENSIONS, row, unit
from tests.doubles.mail_server import running_mail_server


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def doctor(data: Path, **environment: str) -> tuple[int, dict[str, Any]]:
    told = {"DOCENT_DATA": str(data), "DOCENT_LOG_LEVEL": "error", **environment}
    result = CliRunner().invoke(cli, ["doctor", "--json"], env=told)
    return result.exit_code, json.loads(result.stdout)


def said(report: dict[str, Any]) -> dict[str, str]:
    return {check["part"]: check["state"] for check in report["checks"]}


def test_a_fresh_installation_is_well_and_says_of_each_part_how_it_is(tmp_path: Path) -> None:
    code, report = doctor(tmp_path)
    assert (code, report["findings"]) == (0, [])
    told = said(report)
    assert list(told) == ["data folder", "disk", "database", "workspaces", "job queue", "workers", "clock"]
    assert told["data folder"].startswith(str(tmp_path))
    assert told["database"].startswith("SQLite 3.")
    assert told["job queue"] == "SQLite, answers"
    assert told["workers"] == "0 alive, 0 readings waiting"
    assert told["clock"] == "no other machine to compare it with"


def test_migrations_that_it_ran_are_counted(tmp_path: Path) -> None:
    assert "migrations just now" in said(doctor(tmp_path)[1])["database"]
    assert said(doctor(tmp_path)[1])["database"].endswith(", no migration pending")


def test_what_old_versions_of_the_vectors_take_is_said(tmp_path: Path) -> None:
    async def write() -> None:
        index = LanceDBVectorIndex(str(tmp_path / "vectors"), model_id="model", dimensions=DIMENSIONS)
        for number in range(4):
            await index.put(AGENT, [row(f"c{other}" * 200, unit(1, number, other)) for other in range(3000)])

    asyncio.run(write())
    told = said(doctor(tmp_path)[1])["vectors"]
    held, old = (int(number) for number in re.findall(r"\d+", told))
    assert 0 < old < held
    assert told.endswith("a worker frees them within two hours of the last write")


def test_files_of_another_account_are_named_with_the_command_that_gives_them_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    doctor(tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    code, report = doctor(tmp_path)
    [finding] = report["findings"]
    assert code == 1
    assert "belong to another account" in finding
    assert f"chown -R 12345:{os.getgid()} {tmp_path}" in finding


def test_a_file_beside_ours_that_others_may_read_is_named(tmp_path: Path) -> None:
    doctor(tmp_path)
    backup = tmp_path / "yesterday.sqlite"
    backup.write_bytes(b"conversations")
    backup.chmod(0o644)
    code, report = doctor(tmp_path)
    [finding] = report["findings"]
    assert code == 1
    assert str(backup) in finding
    assert f"chmod -R go= {tmp_path}" in finding


def test_too_little_room_on_the_disk_is_said_with_how_much_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(10**12, 10**12 - 10**8, 10**8))
    code, report = doctor(tmp_path)
    [finding] = report["findings"]
    assert code == 1
    assert finding.startswith("Disk: 95 MiB are free")
    assert "512 are needed" in finding


def test_a_queue_that_does_not_answer_is_said_with_its_setting(tmp_path: Path) -> None:
    code, report = doctor(tmp_path, DOCENT_JOBS_URL="postgresql://nobody@127.0.0.1:9/none")
    [finding] = report["findings"]
    assert code == 1
    assert finding.startswith("Job queue: DOCENT_JOBS_URL")


def test_a_redis_that_is_away_is_said_with_its_setting(tmp_path: Path) -> None:
    code, report = doctor(tmp_path, DOCENT_REDIS_URL="redis://127.0.0.1:9/0")
    [finding] = report["findings"]
    assert code == 1
    assert finding.startswith("Redis: it does not answer")
    assert "DOCENT_REDIS_URL" in finding


class TwoHoursLate(BaseHTTPRequestHandler):
    def date_time_string(self, timestamp: float | None = None) -> str:
        return formatdate(time.time() - 7200, usegmt=True)

    def do_HEAD(self) -> None:
        self.send_error(404)

    def do_POST(self) -> None:
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Nobody reads it."""


@pytest.fixture
def late_server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), TwoHoursLate)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_clock_that_differs_from_that_of_a_server_is_said_with_how_to_set_it(
    tmp_path: Path, late_server: str
) -> None:
    code, report = doctor(tmp_path, DOCENT_MODEL_URL=late_server, DOCENT_MODEL_NAME="late")
    assert code == 1
    [finding] = [each for each in report["findings"] if each.startswith("Clock")]
    assert "7200 s ahead of 127.0.0.1" in finding or "7199 s ahead of 127.0.0.1" in finding
    assert "NTP" in finding


def test_a_mail_server_is_signed_in_to_and_sent_nothing(tmp_path: Path) -> None:
    with running_mail_server() as server:
        code, report = doctor(tmp_path, **mail_by(server.port))
    assert code == 0
    assert said(report)["mail"] == "answers, 0 mails waiting, 0 failed for good"
    assert server.mails == []


def test_a_mail_server_that_is_away_is_named_with_its_setting(tmp_path: Path) -> None:
    code, report = doctor(tmp_path, **mail_by(9))
    [finding] = report["findings"]
    assert code == 1
    assert finding.startswith("Mail: 127.0.0.1:9: ")
    assert finding.endswith("Correct DOCENT_SMTP_URL, or start the server.")


def mail_by(port: int) -> dict[str, str]:
    return {
        "DOCENT_SMTP_URL": f"smtp://127.0.0.1:{port}?tls=off",
        "DOCENT_MAIL_FROM": "Docent <docent@example.com>",
        "DOCENT_PUBLIC_URL": "https://docent.example.com",
    }
