"""Transactions: whole or not at all, many at once, and what a busy or broken database says."""

import asyncio
import os
import sqlite3
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import anyio
import pytest
from sqlalchemy import Engine

from app.agents.agent import Agent, AgentConfig
from app.agents.records import AgentRecords
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.turns import TurnRecords
from app.core.errors import Overloaded, Unavailable
from app.core.list_page import PageRequest
from app.core.turn import Channel, GapReason, VisitorSession
from app.gaps.records.gaps import GapRecords
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources.source import Source
from app.store.engine import open_engine
from app.store.processes import ProcessRecords
from app.store.stored_vectors import EmbeddingCache
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import MESSAGES
from app.store.transaction import Transaction
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.temporary_record import temporary_database, temporary_record
from tests.doubles.turn_end_listeners import TURN_END_LISTENERS
from tests.store.sample_rows import a_page, a_turn, add_pending, an_end, an_id, begin, count_rows


class PowerCut(Exception):
    """The process dies here."""


@pytest.fixture
async def sqlite_path(tmp_path: Path) -> Path:
    await temporary_database(tmp_path)
    return tmp_path / "docent.sqlite"


async def cut_power_after_ending(record: SystemOfRecord, turn_id: UUID) -> None:
    with record.writing() as tx:
        TurnRecords(tx).finish(turn_id, an_end(gap=GapReason.LOW_CONFIDENCE))
        raise PowerCut


async def cut_power_after_going_live(record: SystemOfRecord, source: Source, version_id: UUID) -> None:
    with record.writing() as tx:
        (pending,) = DocumentRecords(tx).pending_versions()
        assert pending.id == version_id
        DocumentRecords(tx).make_live(pending)
        raise PowerCut


async def test_a_turn_that_could_not_end_is_still_running(
    record: SystemOfRecord, session: VisitorSession, engine: Engine
) -> None:
    request = a_turn()
    await begin(record, session, request)
    with pytest.raises(PowerCut):
        await cut_power_after_ending(record, request.turn_id)
    assert await count_rows(engine, MESSAGES) == 1
    with record.writing() as tx:
        assert GapRecords(tx).page(session.agent_id, None, PageRequest()).items == []
        assert TurnRecords(tx).cut_orphans([]) == 1


async def test_a_version_is_live_with_its_generation_or_not_at_all(
    record: SystemOfRecord, source: Source, workspace_id: UUID
) -> None:
    version = await add_pending(record, source, a_page())
    with pytest.raises(PowerCut):
        await cut_power_after_going_live(record, source, version.id)
    with record.reading() as tx:
        assert DocumentRecords(tx).pending_versions() == [version]
        assert LiveDocumentRecords(tx).counts(source.agent_id) == (0, 0)
        assert AgentRecords(tx).agent(workspace_id, source.agent_id).generation == 0


async def test_what_was_committed_is_there_after_a_restart(tmp_path: Path) -> None:
    async with temporary_record(tmp_path) as record:
        with record.writing() as tx:
            workspace_id = TokenRecords(tx).default_workspace()
            agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada"))
    async with temporary_record(tmp_path) as record:
        with record.reading() as tx:
            assert AgentRecords(tx).agent(workspace_id, agent.id) == agent


async def test_one_question_of_fifty_visitors_counts_fifty(record: SystemOfRecord, session: VisitorSession) -> None:
    def visit(tx: Transaction) -> None:
        visitor = ConversationRecords(tx).visitor(session.agent_id, an_id())
        conversation = ConversationRecords(tx).start(visitor, Channel.WIDGET)
        own = replace(session, visitor_id=visitor.id, conversation_id=conversation.id)
        asked = a_turn("Do you ship to Malta?")
        TurnRecords(tx).begin(own, asked, 1, "web-1")
        TurnRecords(tx).finish(asked.turn_id, an_end(gap=GapReason.LOW_CONFIDENCE))

    await asyncio.gather(*(record.write(visit) for _ in range(50)))
    with record.reading() as tx:
        (gap,) = GapRecords(tx).page(session.agent_id, None, PageRequest()).items
    assert gap.count == 50


async def test_two_processes_count_the_same_gap(sqlite_path: Path, clock: FixedClock) -> None:
    """Each process has an engine of its own, and the file's lock alone between them."""
    engines = [open_engine(f"sqlite:///{sqlite_path}") for _ in range(2)]
    records_of = [SystemOfRecord(engine, clock, TEST_KEYS, TURN_END_LISTENERS) for engine in engines]
    with records_of[0].writing() as tx:
        workspace_id = TokenRecords(tx).default_workspace()
        agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada"))

    bumps = (
        record.write(lambda tx: AgentRecords(tx).bump_generation(agent.id)) for _ in range(20) for record in records_of
    )
    await asyncio.gather(*bumps)
    with records_of[0].reading() as tx:
        assert AgentRecords(tx).agent(workspace_id, agent.id).generation == 40
    for engine in engines:
        engine.dispose()


async def test_reads_do_not_wait_for_a_writer_and_see_one_picture(
    record: SystemOfRecord, agent: Agent, workspace_id: UUID
) -> None:
    with record.writing() as writing:
        AgentRecords(writing).bump_generation(agent.id)
        with record.reading() as reading:
            assert AgentRecords(reading).agent(workspace_id, agent.id).generation == 0

    with record.reading() as reading:
        assert AgentRecords(reading).agent(workspace_id, agent.id).generation == 1
        with record.writing() as writing:
            AgentRecords(writing).bump_generation(agent.id)
        assert AgentRecords(reading).agent(workspace_id, agent.id).generation == 1


@pytest.mark.parametrize("kind", ["task", "scope"])
async def test_a_write_that_is_left_in_its_middle_is_whole_and_blocks_nobody(
    record: SystemOfRecord, agent: Agent, kind: str
) -> None:
    def bump_often(tx: Transaction) -> None:
        for _ in range(20):
            AgentRecords(tx).bump_generation(agent.id)

    for attempt in range(30):
        patience = 0.0005 * attempt
        if kind == "task":
            task = asyncio.create_task(record.write(bump_often))
            await asyncio.sleep(patience)
            task.cancel()
            await asyncio.wait({task})
        else:
            with anyio.move_on_after(patience):
                await record.write(bump_often)
    async with asyncio.timeout(2):
        assert await record.write(lambda tx: AgentRecords(tx).bump_generation(agent.id)) % 20 == 1


async def test_a_database_that_another_program_locks_is_overloaded(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.store.engine._BUSY_SECONDS", 0)
    async with temporary_record(sqlite_path.parent) as record:
        other = sqlite3.connect(sqlite_path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Overloaded, match="busy"):
            await beat(record)
        other.execute("ROLLBACK")
        other.close()
        await beat(record)


async def test_a_full_disk_is_said_in_words(sqlite_path: Path) -> None:
    full = open_engine(f"sqlite:///{sqlite_path}")
    record = SystemOfRecord(full, FixedClock(), TEST_KEYS, TURN_END_LISTENERS)
    with full.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(Unavailable, match="disk"):
        await fill(record)
    full.dispose()


async def test_a_database_that_cannot_be_opened_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "docent.sqlite"
    path.write_bytes(b"This is no database at all." * 100)
    engine = open_engine(f"sqlite:///{path}")
    with pytest.raises(Unavailable, match="backup"):
        await beat(SystemOfRecord(engine, FixedClock(), TEST_KEYS, TURN_END_LISTENERS))
    engine.dispose()


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    engine = open_engine("postgresql+psycopg://nobody@127.0.0.1:1/nothing?connect_timeout=1")
    with pytest.raises(Unavailable, match="does not answer"):
        await beat(SystemOfRecord(engine, FixedClock(), TEST_KEYS, TURN_END_LISTENERS))
    engine.dispose()


async def test_closing_leaves_no_file_open(tmp_path: Path) -> None:
    await temporary_database(tmp_path)
    async with temporary_record(tmp_path) as record:
        await asyncio.gather(*(record.read(lambda tx: TokenRecords(tx).known_keys()) for _ in range(5)))
        await beat(record)
        assert is_open(tmp_path / "docent.sqlite")
    assert not is_open(tmp_path / "docent.sqlite")


async def beat(record: SystemOfRecord) -> None:
    await record.write(lambda tx: ProcessRecords(tx).beat("web-1", "web"))


async def fill(record: SystemOfRecord) -> None:
    vectors = {f"{n}": [0.5] * 384 for n in range(500)}
    await record.write(lambda tx: EmbeddingCache(tx).cache_embeddings("small", vectors))


def is_open(path: Path) -> bool:
    return any(
        Path(f"/proc/self/fd/{number}").exists() and os.readlink(f"/proc/self/fd/{number}") == str(path)
        for number in os.listdir("/proc/self/fd")
    )
