"""`docent agent versions` and `docent agent rollback`: what was published, and back to it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli


def test_one_goes_back_to_what_was_published_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCENT_DATA", str(tmp_path))
    docent = CliRunner()
    agent_id = docent.invoke(cli, ["agent", "create", "Shop"]).stdout.strip()
    docent.invoke(cli, ["agent", "allow", "https://www.example.com"])
    back = docent.invoke(cli, ["agent", "rollback", agent_id, "1"])
    assert (back.exit_code, "Version 3 is live." in back.output) == (0, True), back.output
    listed = json.loads(docent.invoke(cli, ["agent", "versions", agent_id, "--json"]).stdout)["versions"]
    assert [(each["number"], each["is_live"]) for each in listed] == [(3, True), (2, False), (1, False)]
    assert "https://www.example.com" not in docent.invoke(cli, ["agent", "list"]).output
    unknown = docent.invoke(cli, ["agent", "rollback", agent_id, "9"])
    assert unknown.exit_code == 2
    assert "number" in unknown.output
