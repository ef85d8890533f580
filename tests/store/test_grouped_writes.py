"""Writing: whole or not at all, each for itself, and many in one commit."""

import asyncio
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine, event, select

from app.agents.agent import Agent, AgentConfig
from app.agents.records import AgentRecords
from app.conversations.records.turns import TurnRecords
from app.core.actor import Actor
from app.core.errors import NotFound, Overloaded, TurnInProgress
from app.core.turn import TurnRequest, VisitorSession
from app.store.engine import open_engine
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import TURNS
from app.store.transaction import Transaction
from app.workspaces.records.audit import AUDIT_LOG, AuditRecords
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.temporary_record import temporary_database
from tests.doubles.turn_end_listeners import TURN_END_LISTENERS
from tests.store.sample_rows import a_turn, an_id, count_rows


async def bump(record: SystemOfRecord, agent_id: UUID) -> int:
    return await record.write(lambda tx: AgentRecords(tx).bump_generation(agent_id))


async def generation(record: SystemOfRecord, agent: Agent) -> int:
    return await record.read(lambda tx: AgentRecords(tx).agent(agent.workspace_id, agent.id).generation)


async def test_it_returns_what_was_committed(record: SystemOfRecord, agent: Agent) -> None:
    assert await bump(record, agent.id) == 1
    assert await generation(record, agent) == 1


async def test_what_raises_leaves_nothing_behind(record: SystemOfRecord, agent: Agent) -> None:
    def half(tx: Transaction) -> None:
        AgentRecords(tx).bump_generation(agent.id)
        raise LookupError("in the middle")

    with pytest.raises(LookupError):
        await record.write(half)
    assert await generation(record, agent) == 0


async def test_one_that_fails_takes_nobody_along(record: SystemOfRecord, agent: Agent) -> None:
    bumps = (bump(record, at) for at in (agent.id, agent.id, an_id(), agent.id))
    outcomes = await asyncio.gather(*bumps, return_exceptions=True)
    assert sorted(outcome for outcome in outcomes if isinstance(outcome, int)) == [1, 2, 3]
    assert [type(outcome) for outcome in outcomes if not isinstance(outcome, int)] == [NotFound]
    assert await generation(record, agent) == 3


async def test_of_two_questions_at_once_one_is_answered(
    record: SystemOfRecord, session: VisitorSession, engine: Engine
) -> None:
    async def asked(turn: TurnRequest) -> None:
        await record.write(lambda tx: TurnRecords(tx).begin(session, turn, 1, "web"))

    outcomes = await asyncio.gather(*(asked(a_turn(f"Q{number}")) for number in range(5)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [TurnInProgress] * 4
    assert await count_rows(engine, TURNS) == 1


async def test_what_is_audited_has_its_own_state_before_it(record: SystemOfRecord, agent: Agent) -> None:
    """In one commit with others it would be told what stood before all of them."""

    def renamed(name: str, tx: Transaction) -> None:
        AgentRecords(tx).save_draft(agent.workspace_id, agent.id, replace(agent.draft, name=name))
        AuditRecords(tx).acted(Actor(agent.workspace_id, "me"), "agent.edit", agent.id)

    await asyncio.gather(*(record.write(partial(renamed, name)) for name in ("Bea", "Cleo", "Dora", "Eve")))
    with record.reading() as tx:
        columns = select(AUDIT_LOG.c.before_sha256, AUDIT_LOG.c.after_sha256).order_by(
            AUDIT_LOG.c.created_at, AUDIT_LOG.c.id
        )
        entries = tx.connection.execute(columns).all()
    assert len(entries) == 4
    assert [entry.before_sha256 for entry in entries[1:]] == [entry.after_sha256 for entry in entries[:-1]]


async def test_whoever_leaves_while_it_is_written_finds_it_written(record: SystemOfRecord, agent: Agent) -> None:
    writing = asyncio.create_task(bump(record, agent.id))
    await asyncio.sleep(0)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert await generation(record, agent) == 1


class Embedded:
    """SQLite alone: on Postgres a transaction is one like any other."""

    def __init__(self, path: Path) -> None:
        self.engine = open_engine(f"sqlite:///{path / 'docent.sqlite'}")
        self.record = SystemOfRecord(self.engine, FixedClock(), TEST_KEYS, TURN_END_LISTENERS)

    async def agent(self) -> Agent:
        with self.record.writing() as tx:
            workspace_id = TokenRecords(tx).default_workspace()
            return AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada"))


@pytest.fixture
async def embedded(tmp_path: Path) -> Any:
    await temporary_database(tmp_path)
    house = Embedded(tmp_path)
    yield house
    house.engine.dispose()


async def test_those_that_wait_share_one_connection(embedded: Embedded) -> None:
    agent = await embedded.agent()
    taken: list[Any] = []
    event.listen(embedded.engine, "checkout", lambda *connection: taken.append(connection))
    waiting = [asyncio.create_task(bump(embedded.record, agent.id)) for _ in range(20)]
    assert sorted(await asyncio.gather(*waiting)) == list(range(1, 21))
    assert len(taken) == 1


async def test_a_line_that_does_not_move_is_left(embedded: Embedded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.store.system_of_record._WAIT_SECONDS", 0.01)
    agent = await embedded.agent()
    has_begun, go_on = threading.Event(), threading.Event()

    def held(_: Transaction) -> None:
        has_begun.set()
        go_on.wait()

    holding = asyncio.create_task(embedded.record.write(held))
    await asyncio.to_thread(has_begun.wait)
    with pytest.raises(Overloaded, match="Try again"):
        await bump(embedded.record, agent.id)
    go_on.set()
    await holding
    assert await bump(embedded.record, agent.id) == 1


async def test_a_database_that_another_process_holds_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.store.engine._BUSY_SECONDS", 0)
    await temporary_database(tmp_path)
    house = Embedded(tmp_path)
    agent = await house.agent()
    tries: list[Any] = []
    event.listen(house.engine, "checkout", lambda *connection: tries.append(connection))
    with closing(sqlite3.connect(tmp_path / "docent.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        outcomes = await asyncio.gather(*(bump(house.record, agent.id) for _ in range(4)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Overloaded] * 4
    assert len(tries) == 1
    assert await bump(house.record, agent.id) == 1
    house.engine.dispose()


async def test_the_event_loop_goes_on_while_it_is_written(record: SystemOfRecord) -> None:
    go_on = threading.Event()
    writing = asyncio.create_task(record.write(lambda _: go_on.wait(30)))
    await asyncio.sleep(0)
    go_on.set()
    assert await writing
