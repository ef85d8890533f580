"""Data folders that earlier versions made open with this one.

Each archive is a whole folder, as a version at that migration left it: an agent that has read a website of two pages, a
question that was answered, and one that became a gap. Their vectors are an earlier embedder's.
"""

import json
import sqlite3
import tarfile
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from typer.testing import CliRunner, Result

from app.cli import cli
from app.store.engine import open_engine
from app.store.migrate import all_migrations
from app.store.tables import all_tables

ARCHIVES = sorted((Path(__file__).parent / "older_data_folders").glob("*.tar.xz"))


def docent(data: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, list(words), env={"DOCENT_DATA": str(data)})


def told(data: Path, *words: str) -> Any:
    said = docent(data, *words, "--json")
    assert said.exit_code == 0, said.output
    return json.loads(said.stdout)


@pytest.fixture(params=ARCHIVES, ids=lambda archive: archive.name.partition(".")[0])
def older(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """The newest migration that it had, and the folder."""
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    return request.param.name.partition(".")[0], tmp_path / "data"


def test_there_is_one_of_the_first_schema_and_of_several_since() -> None:
    found = [archive.name.partition(".")[0] for archive in ARCHIVES]
    assert (found[0], len(found)) == ("0001", 4)


def test_the_check_lists_what_is_missing_and_changes_nothing(older: tuple[str, Path]) -> None:
    revision, data = older
    before = (data / "docent.sqlite").read_bytes()
    checked = docent(data, "migrate", "--check", "--json")
    missing = [name for name in all_migrations() if name.partition("_")[0] > revision]
    assert (checked.exit_code, json.loads(checked.stdout)["pending"]) == (int(bool(missing)), missing)
    assert (data / "docent.sqlite").read_bytes() == before


def test_what_was_stored_is_there_and_answers(older: tuple[str, Path]) -> None:
    _, data = older
    assert docent(data, "migrate").exit_code == 0
    assert docent(data, "migrate", "--check").exit_code == 0
    [agent] = told(data, "agent", "list")["agents"]
    assert agent["live_version"] == 1
    [source] = told(data, "source", "list")["sources"]
    assert source["counts"] == {"indexed": 2}
    told(data, "reindex")  # what a worker does by itself when it starts
    answered = told(data, "ask", "How long may I send a lamp back?")
    assert "within 45 days" in answered["answer"]
    assert told(data, "doctor")["healthy"]


def test_it_gets_the_tables_of_this_version(older: tuple[str, Path]) -> None:
    _, data = older
    assert docent(data, "migrate").exit_code == 0
    engine = open_engine(f"sqlite:///{data / 'docent.sqlite'}")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), all_tables()) == []
    engine.dispose()


def test_a_folder_that_holds_nothing_yet_lacks_every_migration(tmp_path: Path) -> None:
    checked = docent(tmp_path / "data", "migrate", "--check")
    assert checked.exit_code == 1
    assert f"{len(all_migrations())} migrations are pending" in checked.stdout
    assert "0095 baseline" in checked.stdout
    assert not (tmp_path / "data").exists()


def test_a_folder_of_a_newer_version_says_so(tmp_path: Path) -> None:
    assert docent(tmp_path, "migrate").exit_code == 0
    with sqlite3.connect(tmp_path / "docent.sqlite") as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    checked = docent(tmp_path, "migrate", "--check")
    assert checked.exit_code == 1
    assert "made by another version of Docent (revision 9999)" in checked.stderr
