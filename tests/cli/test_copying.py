"""`docent copy`: an installation that has moved goes on where it was."""

import json
from pathlib import Path

import anyio.to_thread
import pytest
from typer.testing import CliRunner, Result

from app.cli import cli
from app.settings import read_settings
from tests.system.conftest import learnt_agent

QUESTION = "How long is the warranty of a lamp?"


async def docent(folder: Path, *words: str, database: str = "") -> Result:
    environment = {"DOCENT_DATA": str(folder), "DOCENT_DATABASE_URL": database, "DOCENT_LOG_LEVEL": "error"}
    return await anyio.to_thread.run_sync(lambda: CliRunner().invoke(cli, list(words), env=environment))


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    await learnt_agent(read_settings(data=tmp_path / "data"))
    return tmp_path / "data"


async def answer(folder: Path, database: str = "") -> str:
    asked = await docent(folder, "ask", QUESTION, "--json", database=database)
    assert asked.exit_code == 0, asked.output
    return str(json.loads(asked.stdout)["answer"])


async def test_the_copy_answers_as_the_original_did(folder: Path, tmp_path: Path) -> None:
    before = await answer(folder)
    moved = f"sqlite:///{tmp_path / 'moved.sqlite'}"
    done = await docent(folder, "copy", "--from", f"sqlite:///{folder / 'docent.sqlite'}", "--to", moved)
    assert done.exit_code == 0, done.output
    assert "tables are the same in both" in done.stderr
    assert "chunks" in done.stdout
    assert await answer(folder, moved) == before
    assert (tmp_path / "moved.sqlite").stat().st_mode & 0o777 == 0o600


async def test_the_settings_name_the_database_that_no_option_names(folder: Path, tmp_path: Path) -> None:
    away = f"sqlite:///{tmp_path / 'away.sqlite'}"
    there = await docent(folder, "copy", "--to", away, "--json")
    back = await docent(folder, "copy", "--from", away, "--json", database=f"sqlite:///{tmp_path / 'back.sqlite'}")
    assert json.loads(there.stdout) == json.loads(back.stdout)
    tables = {each["table"]: each["rows"] for each in json.loads(back.stdout)["tables"]}
    assert (tables["agents"], tables["documents"]) == (1, 1)


async def test_what_is_refused_ends_with_one_sentence(folder: Path) -> None:
    same = await docent(folder, "copy")
    assert (same.exit_code, "Two databases are required" in same.output) == (2, True)
    full = await docent(folder, "copy", "--from", f"sqlite:///{folder}/../data/docent.sqlite")
    assert (full.exit_code, "DOCENT_DATABASE_URL: This database is not empty" in full.output) == (2, True)
