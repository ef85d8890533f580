"""Writing at once: whole or not at all, each for itself, and many in one commit."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine

from app.domain.agent import Agent, AgentConfig
from app.domain.errors import NotFound, Overloaded, TurnInProgress
from app.domain.turn import TurnRequest, VisitorSession
from app.store.agents import AgentRecords
from app.store.engine import open_engine
from app.store.models import TurnRow
from app.store.system_of_record import SystemOfRecord
from app.store.tokens import TokenRecords
from app.store.transaction import Transaction
from app.store.turn_end_listeners import TURN_END_LISTENERS
from app.store.turns import TurnRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.temporary_record import temporary_database
from tests.store.sample_rows import a_turn, an_id, count_rows


async def bump(record: SystemOfRecord, agent_id: UUID) -> int:
    return await record.write_at_once(lambda tx: AgentRecords(tx).bump_generation(agent_id))


async def generation(record: SystemOfRecord, agent: Agent) -> int:
    async with record.read() as tx:
        return (await AgentRecords(tx).get(agent.workspace_id, agent.id)).generation


async def test_it_returns_what_was_committed(record: SystemOfRecord, agent: Agent) -> None:
    assert await bump(record, agent.id) == 1
    assert await generation(record, agent) == 1


async def test_what_raises_leaves_nothing_behind(record: SystemOfRecord, agent: Agent) -> None:
    async def half(tx: Transaction) -> None:
        await AgentRecords(tx).bump_generation(agent.id)
        raise LookupError("in the middle")

    with pytest.raises(LookupError):
        await record.write_at_once(half)
    assert await generation(record, agent) == 0


async def test_one_that_fails_takes_nobody_along(record: SystemOfRecord, agent: Agent) -> None:
    bumps = (bump(record, at) for at in (agent.id, agent.id, an_id(), agent.id))
    outcomes = await asyncio.gather(*bumps, return_exceptions=True)
    assert sorted(outcome for outcome in outcomes if isinstance(outcome, int)) == [1, 2, 3]
    assert [type(outcome) for outcome in outcomes if not isinstance(outcome, int)] == [NotFound]
    assert await generation(record, agent) == 3


async def test_of_two_questions_at_once_one_is_answered(
    record: SystemOfRecord, session: VisitorSession, engine: AsyncEngine
) -> None:
    async def asked(turn: TurnRequest) -> None:
        await record.write_at_once(lambda tx: TurnRecords(tx).begin(session, turn, 1, "web"))

    outcomes = await asyncio.gather(*(asked(a_turn(f"Q{number}")) for number in range(5)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [TurnInProgress] * 4
    assert await count_rows(engine, TurnRow) == 1


async def test_both_ways_of_writing_wait_for_each_other(record: SystemOfRecord, agent: Agent) -> None:
    async def slowly() -> None:
        async with record.write() as tx:
            await AgentRecords(tx).bump_generation(agent.id)

    at_once = [bump(record, agent.id) for _ in range(20)]
    await asyncio.gather(*at_once, *(slowly() for _ in range(20)))
    assert await generation(record, agent) == 40


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
        self.engine = open_engine(f"sqlite+aiosqlite:///{path / 'docent.sqlite'}")
        self.record = SystemOfRecord(self.engine, FixedClock(), TEST_KEYS, TURN_END_LISTENERS)

    async def agent(self) -> Agent:
        async with self.record.write() as tx:
            workspace_id = await TokenRecords(tx).default_workspace()
            return await AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada"))


@pytest.fixture
async def embedded(tmp_path: Path) -> Any:
    await temporary_database(tmp_path)
    house = Embedded(tmp_path)
    yield house
    await house.engine.dispose()


async def test_those_that_wait_share_one_connection(embedded: Embedded) -> None:
    agent = await embedded.agent()
    taken: list[Any] = []
    event.listen(embedded.engine.sync_engine, "checkout", lambda *connection: taken.append(connection))
    async with embedded.record.write():
        waiting = [asyncio.create_task(bump(embedded.record, agent.id)) for _ in range(20)]
        await asyncio.sleep(0)
        taken.clear()
    assert sorted(await asyncio.gather(*waiting)) == list(range(1, 21))
    assert len(taken) == 1


async def test_nothing_else_may_be_awaited(embedded: Embedded) -> None:
    agent = await embedded.agent()

    async def dawdles(tx: Transaction) -> None:
        await AgentRecords(tx).bump_generation(agent.id)
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="beside its records"):
        await embedded.record.write_at_once(dawdles)
    assert await generation(embedded.record, agent) == 0


async def test_a_line_that_does_not_move_is_left(embedded: Embedded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.store.system_of_record._WRITE_TURN_SECONDS", 0.01)
    agent = await embedded.agent()
    async with embedded.record.write():
        with pytest.raises(Overloaded, match="busy"):
            await bump(embedded.record, agent.id)
    assert await bump(embedded.record, agent.id) == 1
