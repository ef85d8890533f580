"""Agents: drafts, published versions and what visitors get."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import Engine, Table, select

from app.agents.agent import Agent, AgentConfig
from app.agents.records import AgentRecords
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.store.system_of_record import SystemOfRecord
from app.store.tables import all_tables
from app.store.tables.agents import AGENTS
from app.store.transaction import Transaction
from tests.doubles.fixed_clock import FixedClock
from tests.store.filled_tables import ROWS, fill
from tests.store.sample_rows import an_id, count_rows


# A receipt outlives what it is for.
async def test_a_new_agent_is_a_draft_that_no_visitor_gets(record: SystemOfRecord, agent: Agent) -> None:
    assert (agent.draft.name, agent.live_version, agent.generation) == ("Ada", None, 0)
    with record.reading() as tx:
        assert AgentRecords(tx).exists(agent.id)
        with pytest.raises(NotFound):
            AgentRecords(tx).live(agent.id)


async def test_an_agent_needs_a_workspace(record: SystemOfRecord) -> None:
    with pytest.raises(NotFound, match="workspace"), record.writing() as tx:
        AgentRecords(tx).create(an_id(), AgentConfig(name="Ada"))


async def test_publishing_freezes_the_draft(record: SystemOfRecord, workspace_id: UUID, agent: Agent) -> None:
    with record.writing() as tx:
        published = AgentRecords(tx).publish(workspace_id, agent.id)
        AgentRecords(tx).save_draft(workspace_id, agent.id, replace(agent.draft, name="Bea"))
    with record.reading() as tx:
        live = AgentRecords(tx).live(agent.id)
    assert (published.number, live.version, live.config.name, live.workspace_id) == (1, 1, "Ada", workspace_id)


async def test_publishing_an_unchanged_draft_publishes_nothing(
    record: SystemOfRecord, workspace_id: UUID, agent: Agent, clock: FixedClock
) -> None:
    with record.writing() as tx:
        first = AgentRecords(tx).publish(workspace_id, agent.id)
        clock.advance(60)
        assert AgentRecords(tx).publish(workspace_id, agent.id) == first
        assert AgentRecords(tx).versions(workspace_id, agent.id) == [first]


async def test_going_back_to_an_older_configuration_is_a_new_version(
    record: SystemOfRecord, workspace_id: UUID, agent: Agent
) -> None:
    with record.writing() as tx:
        AgentRecords(tx).publish(workspace_id, agent.id)
        for name in ("Bea", "Ada"):
            AgentRecords(tx).save_draft(workspace_id, agent.id, replace(agent.draft, name=name))
            AgentRecords(tx).publish(workspace_id, agent.id)
        versions = AgentRecords(tx).versions(workspace_id, agent.id)
    assert [(version.number, version.config.name) for version in versions] == [(3, "Ada"), (2, "Bea"), (1, "Ada")]


async def test_a_saved_draft_says_when(
    record: SystemOfRecord, workspace_id: UUID, agent: Agent, clock: FixedClock
) -> None:
    clock.advance(60)
    with record.writing() as tx:
        saved = AgentRecords(tx).save_draft(workspace_id, agent.id, replace(agent.draft, tone="dry"))
    assert (saved.draft.tone, saved.created_at, saved.updated_at) == ("dry", agent.created_at, clock.now())


async def test_every_change_of_knowledge_raises_the_generation(record: SystemOfRecord, agent: Agent) -> None:
    with record.writing() as tx:
        assert [AgentRecords(tx).bump_generation(agent.id) for _ in range(2)] == [1, 2]
        with pytest.raises(NotFound):
            AgentRecords(tx).bump_generation(an_id())


async def test_agents_are_listed_oldest_first_page_by_page(
    record: SystemOfRecord, workspace_id: UUID, foreign_workspace_id: UUID
) -> None:
    with record.writing() as tx:
        for name in "abcde":
            AgentRecords(tx).create(workspace_id, AgentConfig(name=name))
        AgentRecords(tx).create(foreign_workspace_id, AgentConfig(name="foreign"))
    pages: list[str] = []
    cursor: str | None = None
    with record.reading() as tx:
        while True:
            page = AgentRecords(tx).page(workspace_id, PageRequest(limit=2, cursor=cursor))
            pages.append("".join(agent.draft.name for agent in page.items))
            if (cursor := page.next_cursor) is None:
                break
    assert pages == ["ab", "cd", "e"]


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda tx, w, a: AgentRecords(tx).agent(w, a), id="get"),
        pytest.param(lambda tx, w, a: AgentRecords(tx).save_draft(w, a, AgentConfig(name="mine")), id="save_draft"),
        pytest.param(lambda tx, w, a: AgentRecords(tx).publish(w, a), id="publish"),
        pytest.param(lambda tx, w, a: AgentRecords(tx).versions(w, a), id="versions"),
        pytest.param(lambda tx, w, a: AgentRecords(tx).delete(w, a), id="delete"),
    ],
)
async def test_a_foreign_agent_is_an_absent_one(
    record: SystemOfRecord,
    workspace_id: UUID,
    foreign_workspace_id: UUID,
    agent: Agent,
    act: Callable[[Transaction, UUID, UUID], Awaitable[object]],
) -> None:
    for workspace, asked in ((foreign_workspace_id, agent.id), (workspace_id, an_id())):
        with pytest.raises(NotFound), record.writing() as tx:
            act(tx, workspace, asked)
    with record.reading() as tx:
        assert AgentRecords(tx).agent(workspace_id, agent.id) == agent


async def test_deleting_an_agent_leaves_no_row_of_it(record: SystemOfRecord, engine: Engine) -> None:
    fill(engine)
    with engine.connect() as connection:
        workspace_id, agent_id = connection.execute(select(AGENTS.c.workspace_id, AGENTS.c.id).limit(1)).one()
    of_agents = _hanging_on(AGENTS)
    assert {table.name for table in all_tables().sorted_tables if "agent_id" in table.c} - of_agents == {"deletions"}

    with record.writing() as tx:
        AgentRecords(tx).delete(workspace_id, agent_id)

    left = {table.name: await count_rows(engine, table) for table in all_tables().sorted_tables}
    assert left == {table: ROWS - (table in of_agents) for table in left}


def _hanging_on(owner: Table) -> set[str]:
    """The tables whose rows go with those of `owner`."""
    found = {owner.name}
    for table in all_tables().sorted_tables:  # parents first
        found |= {table.name for key in table.foreign_keys if key.column.table.name in found}
    return found
