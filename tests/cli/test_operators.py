"""`docent operator invite` and `link`: an account whose operator chooses the password."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli

OURS = "https://docent.example.com"


def test_a_link_is_printed_where_there_is_no_mail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCENT_DATA", str(tmp_path))
    monkeypatch.setenv("DOCENT_PUBLIC_URL", OURS)
    docent = CliRunner()
    invited = docent.invoke(cli, ["operator", "invite", "ann@example.com", "--role", "viewer"])
    assert invited.exit_code == 0, invited.output
    first = invited.stdout.strip()
    assert first.startswith(f"{OURS}/console/password?token=")
    again = json.loads(docent.invoke(cli, ["operator", "link", "ann@example.com", "--json"]).stdout)
    assert again["url"].startswith(f"{OURS}/console/password?token=")
    assert again["url"] != first
    [listed] = json.loads(docent.invoke(cli, ["operator", "list", "--json"]).stdout)["operators"]
    assert (listed["role"], listed["invited_at"] is not None) == ("viewer", True)
    nobody = docent.invoke(cli, ["operator", "link", "nobody@example.com"])
    assert (nobody.exit_code, "No operator" in nobody.output) == (2, True)


def test_with_mail_it_goes_by_mail_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"DATA": str(tmp_path), "PUBLIC_URL": OURS, "MAIL_FROM": "docent@example.com"}
    for name, value in {**settings, "SMTP_URL": "smtp://127.0.0.1?tls=off"}.items():
        monkeypatch.setenv(f"DOCENT_{name}", value)
    invited = CliRunner().invoke(cli, ["operator", "invite", "ann@example.com"])
    assert (invited.exit_code, invited.stdout) == (0, "")
    assert "token" not in invited.output
