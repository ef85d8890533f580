"""SQLite's write-ahead log keeps what was erased until it is cut."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.store import engine
from app.store.system_of_record import SystemOfRecord
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.temporary_record import temporary_record


@pytest.fixture
async def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SystemOfRecord]:
    """A record whose last change stands in the log alone, and which waits for nobody."""
    monkeypatch.setattr(engine, "_BUSY_SECONDS", 0)
    async with temporary_record(tmp_path) as record:
        await record.write(
            lambda tx: AgentRecords(tx).create(TokenRecords(tx).default_workspace(), AgentConfig(name="Ada"))
        )
        yield record


async def test_an_emptied_log_is_a_file_of_no_bytes(written: SystemOfRecord, tmp_path: Path) -> None:
    log = tmp_path / "docent.sqlite-wal"
    assert log.stat().st_size > 0
    assert await written.empty_journal()
    assert log.stat().st_size == 0
    with sqlite3.connect(tmp_path / "docent.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM agents").fetchone() == (1,)
    connection.close()


async def test_a_log_that_someone_reads_is_left_and_said_to_be(written: SystemOfRecord, tmp_path: Path) -> None:
    reader = sqlite3.connect(tmp_path / "docent.sqlite", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM agents").fetchone()
    try:
        assert not await written.empty_journal()
    finally:
        reader.close()
    assert await written.empty_journal()
