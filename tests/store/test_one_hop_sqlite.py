"""Statements that visit SQLite's thread once, and leave nothing open there."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from app.store.engine import open_engine
from app.store.one_hop_sqlite import OneHopConnection


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    opened = open_engine(f"sqlite+aiosqlite:///{tmp_path / 'one.sqlite'}")
    async with opened.begin() as connection:
        await connection.execute(text("CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT UNIQUE)"))
    yield opened
    await opened.dispose()


@pytest.fixture
def visits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each piece of work that a connection's thread was given."""
    seen: list[str] = []
    original = OneHopConnection._execute

    async def counted(self: OneHopConnection, work: Any, *args: Any, **options: Any) -> Any:
        seen.append(str(work))
        return await original(self, work, *args, **options)  # type: ignore[no-untyped-call]

    monkeypatch.setattr(OneHopConnection, "_execute", counted)
    return seen


async def test_each_statement_is_one_visit(engine: AsyncEngine, visits: list[str]) -> None:
    async with engine.connect() as connection:
        await connection.execute(text("INSERT INTO words (word) VALUES ('one')"))
        rows = (await connection.execute(text("SELECT id, word FROM words"))).all()
    assert [tuple(row) for row in rows] == [(1, "one")]
    assert len(visits) == 3  # BEGIN comes with the first; the third is the rollback


async def test_a_session_ends_its_transaction_in_one_visit(engine: AsyncEngine, visits: list[str]) -> None:
    async with AsyncSession(engine) as session:
        await session.execute(text("INSERT INTO words (word) VALUES ('one')"))
        await session.commit()
    assert len(visits) == 2
    async with AsyncSession(engine) as session:
        assert await session.scalar(text("SELECT count(*) FROM words")) == 1
    assert len(visits) == 4


async def test_a_transaction_without_a_statement_visits_nobody(engine: AsyncEngine, visits: list[str]) -> None:
    async with engine.begin():
        pass
    assert visits == []
    async with engine.begin() as connection:
        await connection.execute(text("INSERT INTO words (word) VALUES ('one')"))
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM words")) == 1


async def test_nothing_runs_outside_a_transaction_that_was_refused(engine: AsyncEngine) -> None:
    async with engine.connect() as connection, engine.begin() as other:
        await other.execute(text("INSERT INTO words (word) VALUES ('theirs')"))
        quick = await connection.get_raw_connection()
        assert quick.driver_connection is not None
        await quick.driver_connection.execute("PRAGMA busy_timeout = 1")
        for _ in range(2):
            with pytest.raises(OperationalError, match="locked"):
                await connection.execute(text("SELECT count(*) FROM words"))


async def test_many_rows_are_written_and_counted_in_one_visit(engine: AsyncEngine, visits: list[str]) -> None:
    async with engine.begin() as connection:
        await connection.execute(text("SELECT 1"))
        visits.clear()
        many = [{"word": f"word {number}"} for number in range(100)]
        written = await connection.execute(text("INSERT INTO words (word) VALUES (:word)"), many)
        assert (written.rowcount, len(visits)) == (100, 1)
        given_back = await connection.execute(text("DELETE FROM words WHERE id <= 7 RETURNING id"))
        assert sorted(given_back.scalars()) == [1, 2, 3, 4, 5, 6, 7]


async def test_a_refused_statement_leaves_nothing_locked(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await connection.execute(text("INSERT INTO words (word) VALUES ('one')"))
    with pytest.raises(IntegrityError):
        async with engine.begin() as connection:
            await connection.execute(text("INSERT INTO words (word) VALUES ('one') RETURNING id"))
    async with engine.begin() as connection:
        await connection.execute(text("INSERT INTO words (word) VALUES ('two')"))
        assert (await connection.scalar(text("SELECT count(*) FROM words"))) == 2
