"""Somebody who asks."""

from uuid import uuid4

from app.domain.agent import AgentConfig
from app.domain.turn import Channel, VisitorSession
from app.ports.records.transaction import SystemOfRecord


async def visitor_of_new_agent(record: SystemOfRecord) -> VisitorSession:
    """In a conversation with the agent `Docs`, made for this."""
    async with record.write() as records:
        workspace = await records.tokens.default_workspace()
        agent = await records.agents.create(workspace, AgentConfig(name="Docs"))
        visitor = await records.conversations.visitor(agent.id, uuid4())
        conversation = await records.conversations.start(visitor, Channel.WIDGET)
    return VisitorSession(workspace, agent.id, visitor.id, conversation.id)
