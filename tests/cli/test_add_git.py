"""`docent source add-git`: the Markdown of a repository, read from a real Git server."""

import shutil
from pathlib import Path

import pytest

from tests.cli.test_commands import Environment, answer, docent
from tests.doubles.git_server import running_git_server

PLACE = "https://docs.example.com/{path_without_suffix}"
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return {"DOCENT_DATA": str(tmp_path / "data"), "DOCENT_LOG_LEVEL": "error"}


def test_a_repository_is_read_and_read_again_after_a_change(tmp_path: Path, environment: Environment) -> None:
    with running_git_server(tmp_path) as git:
        git.commit({"docs/pay.md": "# Pay\n\nYou can pay by card or by invoice.\n", "notes.md": "# Notes\n\nOurs.\n"})
        words = ("source", "add-git", git.url, "--folder", "docs", "--page-url", PLACE)
        here = ("--allow", f"127.0.0.1:{git.port}")
        first = answer(environment, *words, *here)
        assert first["counts"] == {"indexed": 1}
        again = answer(environment, *words, *here)
        assert (again["source_id"], again["counts"]) == (first["source_id"], {"unchanged": 1})
        listed = answer(environment, "source", "list")["sources"]
        assert [(each["kind"], each["name"]) for each in listed] == [("git", "docs")]


def test_a_place_that_tells_no_files_apart_is_refused(environment: Environment) -> None:
    words = ("source", "add-git", "https://github.com/example/docs", "--page-url", "https://docs.example.com/")
    assert "path_without_suffix" in docent(environment, *words, code=2).stderr
