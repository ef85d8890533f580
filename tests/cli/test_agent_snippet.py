"""`docent agent snippet`: what an operator pastes."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.web.widget_script import BuiltFile, built_widget

BASE = "https://chat.example.com"


@pytest.fixture
def docent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("DOCENT_DATA", str(tmp_path))
    return CliRunner()


def test_the_snippet_is_one_tag_on_one_line_plain_or_pinned(docent: CliRunner) -> None:
    agent_id = docent.invoke(cli, ["agent", "create", "Shop"]).stdout.strip()
    plain = docent.invoke(cli, ["agent", "snippet", "--base", f"{BASE}/"])
    assert plain.stdout == f'<script async src="{BASE}/widget/widget.js" data-agent="{agent_id}"></script>\n'
    pinned = docent.invoke(cli, ["agent", "snippet", "--base", BASE, "--pinned"])
    script = BuiltFile.read(built_widget() / "widget.js")
    assert pinned.stdout == (
        f'<script async src="{BASE}/widget/widget.{script.fingerprint}.js" integrity="{script.integrity}" '
        f'crossorigin="anonymous" data-agent="{agent_id}"></script>\n'
    )
