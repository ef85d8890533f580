"""Methods that are a transaction each: whose rows they see, and when what they do is kept."""

from uuid import UUID

import pytest

from app.agents.agent import Agent, AgentConfig
from app.agents.own_agent import reads_agent, writes_agent
from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes


class Refused(Exception):
    """The method thinks better of it."""


class Names:
    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records
        self.asked: list[UUID] = []

    @reads
    def all(self, tx: Transaction, actor: Actor) -> list[str]:
        return [agent.draft.name for agent in AgentRecords(tx).page(actor.workspace_id, PageRequest()).items]

    @writes
    def add(self, tx: Transaction, actor: Actor, name: str, *, is_refused: bool = False) -> str:
        AgentRecords(tx).create(actor.workspace_id, AgentConfig(name=name))
        if is_refused:
            raise Refused
        return name

    @reads_agent
    def of_agent(self, tx: Transaction, actor: Actor, agent_id: UUID) -> str:
        self.asked.append(agent_id)
        return AgentRecords(tx).agent(actor.workspace_id, agent_id).draft.name

    @writes_agent
    def rename(self, tx: Transaction, actor: Actor, agent_id: UUID, name: str) -> None:
        self.asked.append(agent_id)
        AgentRecords(tx).save_draft(actor.workspace_id, agent_id, AgentConfig(name=name))


@pytest.fixture
def names(record: SystemOfRecord) -> Names:
    return Names(record)


@pytest.fixture
def ann(workspace_id: UUID) -> Actor:
    return Actor(workspace_id, "Ann")


async def test_what_is_written_is_kept_when_the_method_has_returned(names: Names, ann: Actor) -> None:
    assert await names.add(ann, "Ada") == "Ada"
    assert await names.all(ann) == ["Ada"]


async def test_of_what_it_has_written_nothing_is_kept_when_it_raises(names: Names, ann: Actor) -> None:
    with pytest.raises(Refused):
        await names.add(ann, "Ada", is_refused=True)
    assert await names.all(ann) == []


async def test_of_the_actors_own_agent_it_is_called(names: Names, ann: Actor, agent: Agent) -> None:
    await names.rename(ann, agent.id, "Bea")
    assert await names.of_agent(ann, agent.id) == "Bea"


async def test_of_anothers_agent_it_is_not_called(names: Names, agent: Agent, foreign_workspace_id: UUID) -> None:
    stranger = Actor(foreign_workspace_id, "Stranger")
    with pytest.raises(NotFound):
        await names.of_agent(stranger, agent.id)
    with pytest.raises(NotFound):
        await names.rename(stranger, agent.id, "Mine")
    assert names.asked == []
