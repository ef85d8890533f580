"""Whoever can run commands on the machine is its operator: who that is, and which agent they mean."""

from uuid import UUID

from app.cli.terminal import fail
from app.domain.agent import Agent, LiveAgent
from app.domain.errors import NotFound
from app.operating.actor import SCOPES, Actor
from app.ports.records.page import PageRequest
from app.ports.records.transaction import SystemOfRecord
from app.rooms import Stored


async def local_operator(base: Stored) -> Actor:
    """The operator of the first workspace, which is made when there is none."""
    return await operator_of(base.record)


async def operator_of(record: SystemOfRecord) -> Actor:
    async with record.write() as records:
        workspace_id = await records.tokens.default_workspace()
    return Actor(workspace_id, "cli", frozenset(SCOPES))


async def known_agents(base: Stored, actor: Actor) -> list[Agent]:
    """Oldest first."""
    agents: list[Agent] = []
    page = PageRequest(limit=200)
    while True:
        async with base.record.read() as records:
            found = await records.agents.page(actor.workspace_id, page)
        agents += found.items
        if found.next_cursor is None:
            return agents
        page = PageRequest(limit=200, cursor=found.next_cursor)


async def meant_agent(base: Stored, actor: Actor, agent_id: UUID | None) -> Agent:
    """The named agent, or the only one there is. Ends the command with the choices when that is not clear."""
    agents = await known_agents(base, actor)
    if agent_id is not None:
        for agent in agents:
            if agent.id == agent_id:
                return agent
        raise NotFound("agent")
    if not agents:
        fail("There is no agent yet. Make one with `docent crawl URL` or `docent agent create NAME`.", 2)
    if len(agents) > 1:
        listed = "\n".join(f"  {agent.id}  {agent.draft.name}" for agent in agents)
        fail(f"There are several agents; choose one with --agent ID:\n{listed}", 2)
    return agents[0]


async def live_agent(base: Stored, agent: Agent) -> LiveAgent:
    """Ends the command when it was never published."""
    try:
        async with base.record.read() as records:
            return await records.agents.live(agent.id)
    except NotFound:
        fail(f"The agent was never published. Publish it with `docent agent publish {agent.id}`.", 2)
