"""A system of record moves to another database, SQLite or Postgres, and back: every row of every table, or none."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine, insert, text

from app.core.errors import DocentError, InvalidInput, Misconfigured, Unavailable
from app.store.database_copy import CopyStep, TableSum, copy_database
from app.store.engine import is_sqlite, open_engine
from app.store.processes import database_time
from app.store.tables import all_tables
from app.store.tables.agents import PROCESSES, WORKSPACES
from app.store.tables.knowledge import SOURCES
from tests.doubles.temporary_record import temporary_database
from tests.store.filled_tables import ROWS, fill
from tests.store.sample_rows import an_id, count_rows, silence


@pytest.fixture
async def filled(tmp_path: Path) -> str:
    """The URL of a SQLite with rows in every table."""
    folder = tmp_path / "filled"
    folder.mkdir()
    url = await temporary_database(folder)
    opened = open_engine(url)
    fill(opened)
    opened.dispose()
    return url


@pytest.fixture
def opened(filled: str) -> Iterator[Engine]:
    engine = open_engine(filled)
    yield engine
    engine.dispose()


def url_of(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def copied(source: str, target: str, on_step: Callable[[CopyStep], None] = lambda _: None) -> list[TableSum]:
    return copy_database(source, target, "--from", "--to", on_step)


def raw_rows(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """As SQLite itself gives them."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        names = [name for [name] in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: sorted(connection.execute(f'SELECT * FROM "{name}"'), key=repr) for name in names}


async def test_all_tables_go_there_and_back_and_are_the_same(engine: Engine, filled: str, tmp_path: Path) -> None:
    there = copied(filled, url_of(engine))
    back = copied(url_of(engine), f"sqlite:///{tmp_path / 'back.sqlite'}")

    assert there == back
    assert [(each.table, each.rows) for each in there] == [(each.name, ROWS) for each in all_tables().sorted_tables]
    before, after = raw_rows(filled), raw_rows(f"sqlite:///{tmp_path / 'back.sqlite'}")
    assert set(before) == {each.table for each in there} | {"alembic_version"}
    for table in before:
        assert _as_read(before[table]) == _as_read(after[table]), table


def _as_read(rows: list[tuple[Any, ...]]) -> list[str]:
    """JSONB orders the keys of objects as it likes, and has one zero and one way to write whole numbers."""

    def read(cell: Any) -> Any:
        if not (isinstance(cell, str) and cell.startswith(("{", "["))):
            return cell
        return json.dumps(json.loads(cell, parse_int=_number, parse_float=_number), sort_keys=True)

    return sorted(repr([read(cell) for cell in row]) for row in rows)


def _number(written: str) -> float:
    return float(written) + 0.0


async def test_the_digest_of_a_table_changes_with_one_cell(opened: Engine, filled: str, tmp_path: Path) -> None:
    def sums(name: str) -> dict[str, str]:
        return {each.table: each.digest for each in copied(filled, f"sqlite:///{tmp_path / name}")}

    before = sums("first.sqlite")
    with opened.begin() as connection:
        connection.execute(text("UPDATE agents SET generation = generation + 1 WHERE generation = 0"))
    after = sums("second.sqlite")
    assert {table for table in before if before[table] != after[table]} == {"agents"}


async def test_a_target_that_holds_a_row_is_refused_and_left(engine: Engine, filled: str) -> None:
    with engine.begin() as connection:
        connection.execute(
            insert(WORKSPACES).values(id=an_id(), name="theirs", created_at=datetime(2026, 1, 1, tzinfo=UTC))
        )
    with pytest.raises(InvalidInput, match=r"--to: This database is not empty \(rows in workspaces\)"):
        copied(filled, url_of(engine))
    assert await count_rows(engine, WORKSPACES) == 1


async def test_a_source_that_a_process_serves_is_refused_until_it_has_ended(
    engine: Engine, opened: Engine, filled: str
) -> None:
    beat = database_time("sqlite")
    with opened.begin() as connection:
        connection.execute(insert(PROCESSES).values(name="web-7", kind="web", started_at=beat, beaten_at=beat))
    with pytest.raises(InvalidInput, match=r"--from: Docent runs on this database \(web-7\)"):
        copied(filled, url_of(engine))
    assert await count_rows(engine, WORKSPACES) == 0
    await silence(opened, "web-7", seconds=30)
    assert sum(each.rows for each in copied(filled, url_of(engine))) == ROWS * len(all_tables().tables) + 1


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        pytest.param(
            f"INSERT INTO sources (id, agent_id, config, created_at) VALUES (X'{UUID(int=1).hex}', "
            f"X'{UUID(int=2).hex}', '{{}}', '2026-01-01 00:00:00.000000')",
            "The target refuses a row of sources",
            id="a row without its parent",
        ),
        pytest.param(
            "UPDATE workspaces SET name = 'a' || char(0) || 'b'",
            "The copy differs in workspaces",
            id="text that the target keeps in another way",
        ),
    ],
)
async def test_what_cannot_be_kept_as_it_is_leaves_the_target_empty(
    engine: Engine, filled: str, broken: str, said: str
) -> None:
    with closing(sqlite3.connect(filled.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute(broken)
    with pytest.raises(Unavailable, match=said):
        copied(filled, url_of(engine))
    assert await count_rows(engine, WORKSPACES) == 0
    assert await count_rows(engine, SOURCES) == 0


async def test_neither_database_takes_another_writer_meanwhile(engine: Engine, filled: str) -> None:
    refused: list[str] = []

    def write_elsewhere(step: CopyStep) -> None:
        if not refused:
            refused.append(_refused_write(filled.removeprefix("sqlite:///")))
            refused.append(_refused_lock(engine))

    copied(filled, url_of(engine), write_elsewhere)
    assert refused[0] == "database is locked"
    assert "lock" in refused[1]


def _refused_write(path: str) -> str:
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            return str(error)
    return "nobody refused it"


def _refused_lock(engine: Engine) -> str:
    if is_sqlite(engine):
        return _refused_write(str(engine.url.database))
    with engine.connect() as other:
        try:
            other.execute(text("LOCK TABLE workspaces IN ROW EXCLUSIVE MODE NOWAIT"))
        except Exception as error:
            return str(error)
    return "nobody refused it"


async def test_a_copy_that_is_broken_off_can_be_made_again(engine: Engine, filled: str) -> None:
    def break_off(step: CopyStep) -> None:
        if step.table == "turns":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copied(filled, url_of(engine), break_off)
    assert await count_rows(engine, WORKSPACES) == 0
    assert copied(filled, url_of(engine))


async def test_a_source_of_another_version_is_refused(engine: Engine, opened: Engine, filled: str) -> None:
    with opened.begin() as connection:
        connection.execute(text("DROP TABLE alembic_version"))
    with pytest.raises(Misconfigured, match=r"--from: .*docent migrate"):
        copied(filled, url_of(engine))


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        pytest.param("sqlite:///{tmp}/none.sqlite", "sqlite:///{tmp}/new.sqlite", "--from: there is no", id="no file"),
        pytest.param(
            "nonsense", "sqlite:///{tmp}/new.sqlite", "--from: this is not a database address", id="no address"
        ),
        pytest.param("{filled}", "mysql://x/y", "--to: mysql is not used here", id="another database"),
        pytest.param("{filled}", "postgresql://u:pw@127.0.0.1:1/x", r"--to: .*:\*\*\*@", id="a server that is away"),
    ],
)
async def test_an_address_that_leads_nowhere_is_named(
    filled: str, tmp_path: Path, source: str, target: str, said: str
) -> None:
    with pytest.raises(DocentError, match=said):
        copied(source.format(tmp=tmp_path, filled=filled), target.format(tmp=tmp_path))
    assert not (tmp_path / "none.sqlite").exists()
