"""Transactions: whole or not at all, many at once, and what a busy or broken database says."""

import asyncio
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import anyio
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.domain.agent import Agent, AgentConfig
from app.domain.errors import Overloaded, TurnInProgress, Unavailable
from app.domain.gap import GapReason
from app.domain.list_page import PageRequest
from app.domain.source import Source
from app.domain.turn import Channel, VisitorSession
from app.store import system_of_record
from app.store.agents import AgentRecords
from app.store.conversations import ConversationRecords
from app.store.documents import DocumentRecords
from app.store.embedding_cache import EmbeddingCache
from app.store.engine import open_engine
from app.store.gaps import GapRecords
from app.store.live_documents import LiveDocumentRecords
from app.store.models import AgentRow, MessageRow, TurnRow
from app.store.processes import ProcessRecords
from app.store.system_of_record import SystemOfRecord
from app.store.tokens import TokenRecords
from app.store.turn_end_listeners import TURN_END_LISTENERS
from app.store.turns import TurnRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.temporary_record import temporary_database, temporary_record
from tests.store.sample_rows import a_page, a_turn, add_pending, an_end, an_id, ask, begin, count_rows


class PowerCut(Exception):
    """The process dies here."""


@pytest.fixture
async def sqlite_path(tmp_path: Path) -> Path:
    await temporary_database(tmp_path)
    return tmp_path / "docent.sqlite"


async def cut_power_after_ending(record: SystemOfRecord, turn_id: UUID) -> None:
    async with record.write() as tx:
        await TurnRecords(tx).finish(turn_id, an_end(gap=GapReason.LOW_CONFIDENCE))
        raise PowerCut


async def cut_power_after_going_live(record: SystemOfRecord, source: Source, version_id: UUID) -> None:
    async with record.write() as tx:
        (pending,) = await DocumentRecords(tx).pending_versions()
        assert pending.id == version_id
        await DocumentRecords(tx).make_live(pending)
        raise PowerCut


async def test_a_turn_that_could_not_end_is_still_running(
    record: SystemOfRecord, session: VisitorSession, engine: AsyncEngine
) -> None:
    request = a_turn()
    await begin(record, session, request)
    with pytest.raises(PowerCut):
        await cut_power_after_ending(record, request.turn_id)
    assert await count_rows(engine, MessageRow) == 1
    async with record.write() as tx:
        assert (await GapRecords(tx).page(session.agent_id, None, PageRequest())).items == []
        assert await TurnRecords(tx).cut_orphans([]) == 1


async def test_a_version_is_live_with_its_generation_or_not_at_all(
    record: SystemOfRecord, source: Source, workspace_id: UUID
) -> None:
    version = await add_pending(record, source, a_page())
    with pytest.raises(PowerCut):
        await cut_power_after_going_live(record, source, version.id)
    async with record.read() as tx:
        assert await DocumentRecords(tx).pending_versions() == [version]
        assert await LiveDocumentRecords(tx).counts(source.agent_id) == (0, 0)
        assert (await AgentRecords(tx).get(workspace_id, source.agent_id)).generation == 0


async def test_what_was_committed_is_there_after_a_restart(tmp_path: Path) -> None:
    async with temporary_record(tmp_path) as record, record.write() as tx:
        workspace_id = await TokenRecords(tx).default_workspace()
        agent = await AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada"))
    async with temporary_record(tmp_path) as record, record.read() as tx:
        assert await AgentRecords(tx).get(workspace_id, agent.id) == agent


async def test_a_reading_transaction_refuses_to_write(record: SystemOfRecord, agent: Agent) -> None:
    async with record.read() as tx:
        with pytest.raises(RuntimeError, match="only reads"):
            await AgentRecords(tx).bump_generation(agent.id)


async def test_a_write_inside_a_write_is_refused_instead_of_waiting_for_itself(sqlite_path: Path) -> None:
    engine = open_engine(f"sqlite+aiosqlite:///{sqlite_path}")
    record = SystemOfRecord(engine, FixedClock(), TEST_KEYS, TURN_END_LISTENERS)
    async with record.write():
        with pytest.raises(RuntimeError):
            await record.write().__aenter__()
    await engine.dispose()


async def test_of_two_questions_at_once_one_is_answered(
    record: SystemOfRecord, session: VisitorSession, engine: AsyncEngine
) -> None:
    outcomes = await asyncio.gather(
        *(begin(record, session, a_turn(f"Q{number}")) for number in range(5)), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [TurnInProgress] * 4
    assert await count_rows(engine, TurnRow) == 1


async def test_one_question_of_fifty_visitors_counts_fifty(record: SystemOfRecord, session: VisitorSession) -> None:
    async def visit() -> None:
        async with record.write() as tx:
            visitor = await ConversationRecords(tx).visitor(session.agent_id, an_id())
            conversation = await ConversationRecords(tx).start(visitor, Channel.WIDGET)
        own = replace(session, visitor_id=visitor.id, conversation_id=conversation.id)
        await ask(record, own, "Do you ship to Malta?", gap=GapReason.LOW_CONFIDENCE)

    await asyncio.gather(*(visit() for _ in range(50)))
    async with record.read() as tx:
        (gap,) = (await GapRecords(tx).page(session.agent_id, None, PageRequest())).items
    assert gap.count == 50


async def test_two_processes_count_the_same_gap(sqlite_path: Path, clock: FixedClock) -> None:
    """Each process has an engine of its own, and the file's lock alone between them."""
    engines = [open_engine(f"sqlite+aiosqlite:///{sqlite_path}") for _ in range(2)]
    records_of = [SystemOfRecord(engine, clock, TEST_KEYS, TURN_END_LISTENERS) for engine in engines]
    async with records_of[0].write() as tx:
        workspace_id = await TokenRecords(tx).default_workspace()
        agent = await AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada"))

    async def bump(record: SystemOfRecord) -> None:
        async with record.write() as tx:
            await AgentRecords(tx).bump_generation(agent.id)

    await asyncio.gather(*(bump(record) for record in records_of for _ in range(20)))
    async with records_of[0].read() as tx:
        assert (await AgentRecords(tx).get(workspace_id, agent.id)).generation == 40
    for engine in engines:
        await engine.dispose()


async def test_reads_do_not_wait_for_a_writer_and_see_one_picture(
    record: SystemOfRecord, agent: Agent, workspace_id: UUID
) -> None:
    async with record.write() as writing:
        await AgentRecords(writing).bump_generation(agent.id)
        async with asyncio.timeout(2), record.read() as reading:
            assert (await AgentRecords(reading).get(workspace_id, agent.id)).generation == 0

    async with record.read() as reading:
        assert (await AgentRecords(reading).get(workspace_id, agent.id)).generation == 1
        async with record.write() as writing:
            await AgentRecords(writing).bump_generation(agent.id)
        assert (await AgentRecords(reading).get(workspace_id, agent.id)).generation == 1


async def test_a_cancelled_write_leaves_nothing_and_blocks_nobody(
    record: SystemOfRecord, workspace_id: UUID, engine: AsyncEngine
) -> None:
    written = asyncio.Event()

    async def write_and_wait() -> None:
        async with record.write() as tx:
            await AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada"))
            written.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(write_and_wait())
    await written.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await count_rows(engine, AgentRow) == 0
    async with asyncio.timeout(2), record.write() as tx:
        await AgentRecords(tx).create(workspace_id, AgentConfig(name="Bea"))


@pytest.mark.parametrize("kind", ["task", "scope"])
async def test_a_write_cancelled_inside_a_statement_blocks_nobody(
    record: SystemOfRecord, agent: Agent, kind: str
) -> None:
    async def bump_often() -> None:
        async with record.write() as tx:
            for _ in range(1000):
                await AgentRecords(tx).bump_generation(agent.id)

    for attempt in range(30):
        patience = 0.0005 * attempt
        if kind == "task":
            task = asyncio.create_task(bump_often())
            await asyncio.sleep(patience)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            with anyio.move_on_after(patience) as scope:
                await bump_often()
            assert scope.cancelled_caught
    async with asyncio.timeout(2), record.write() as tx:
        assert await AgentRecords(tx).bump_generation(agent.id) == 1


async def test_writers_that_wait_too_long_are_told_to_come_back(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_of_record, "_WRITE_TURN_SECONDS", 0.05)
    async with temporary_record(sqlite_path.parent) as record:
        entered, leave = asyncio.Event(), asyncio.Event()

        async def hold() -> None:
            async with record.write():
                entered.set()
                await leave.wait()

        holder = asyncio.create_task(hold())
        await entered.wait()
        with pytest.raises(Overloaded, match="Try again"):
            await record.write().__aenter__()
        leave.set()
        await holder


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
    full = open_engine(f"sqlite+aiosqlite:///{sqlite_path}")
    record = SystemOfRecord(full, FixedClock(), TEST_KEYS, TURN_END_LISTENERS)
    async with full.connect() as connection:
        pages = (await connection.exec_driver_sql("PRAGMA page_count")).scalar_one()
        await connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(Unavailable, match="disk"):
        await fill(record)
    await full.dispose()


async def test_a_database_that_cannot_be_opened_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "docent.sqlite"
    path.write_bytes(b"This is no database at all." * 100)
    before = threading.active_count()
    engine = open_engine(f"sqlite+aiosqlite:///{path}")
    with pytest.raises(Unavailable, match="backup"):
        await beat(SystemOfRecord(engine, FixedClock(), TEST_KEYS, TURN_END_LISTENERS))
    await engine.dispose()
    await all_threads_but(before)


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    engine = open_engine("postgresql+psycopg://nobody@127.0.0.1:1/nothing?connect_timeout=1")
    with pytest.raises(Unavailable, match="does not answer"):
        await beat(SystemOfRecord(engine, FixedClock(), TEST_KEYS, TURN_END_LISTENERS))
    await engine.dispose()


async def test_closing_leaves_no_thread_behind(tmp_path: Path) -> None:
    await temporary_database(tmp_path)
    before = threading.active_count()
    async with temporary_record(tmp_path) as record:
        await asyncio.gather(*(beat(record) for _ in range(5)))
    await all_threads_but(before)


async def beat(record: SystemOfRecord) -> None:
    async with record.write() as tx:
        await ProcessRecords(tx).beat("web-1", "web")


async def fill(record: SystemOfRecord) -> None:
    async with record.write() as tx:
        await EmbeddingCache(tx).cache_embeddings("small", {f"{n}": [0.5] * 384 for n in range(500)})


async def all_threads_but(count: int) -> None:
    """Wait for the threads of closed connections to end."""
    for _ in range(200):
        if threading.active_count() <= count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"more than {count} threads: {threading.enumerate()}")
