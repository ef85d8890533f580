"""`docent workspace ...` and DOCENT_WORKSPACE: commands in more than one workspace."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli

PASSWORD = "correct horse battery\n"


def test_commands_work_in_the_workspace_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCENT_DATA", str(tmp_path))
    docent = CliRunner()
    docent.invoke(cli, ["agent", "create", "First's"])
    made = docent.invoke(cli, ["workspace", "add", "Shop", "--admin", "ann@shop.example"], input=PASSWORD)
    assert made.exit_code == 0, made.output
    taken = docent.invoke(cli, ["workspace", "add", "Shop", "--admin", "eve@shop.example"], input=PASSWORD)
    assert (taken.exit_code, "already" in taken.output) == (2, True)
    monkeypatch.setenv("DOCENT_WORKSPACE", "Shop")
    docent.invoke(cli, ["agent", "create", "Shop's"])
    listed = json.loads(docent.invoke(cli, ["agent", "list", "--json"]).stdout)["agents"]
    assert [agent["name"] for agent in listed] == ["Shop's"]
    operators = json.loads(docent.invoke(cli, ["operator", "list", "--json"]).stdout)["operators"]
    assert [operator["email"] for operator in operators] == ["ann@shop.example"]
    last = docent.invoke(cli, ["operator", "remove", "ann@shop.example"])
    assert (last.exit_code, "last admin" in last.output) == (2, True)
    known = json.loads(docent.invoke(cli, ["workspace", "list", "--json"]).stdout)["workspaces"]
    assert [each["name"] for each in known] == ["default", "Shop"]
    monkeypatch.setenv("DOCENT_WORKSPACE", "Nowhere")
    unknown = docent.invoke(cli, ["agent", "list"])
    assert (unknown.exit_code, "DOCENT_WORKSPACE" in unknown.output) == (2, True)
