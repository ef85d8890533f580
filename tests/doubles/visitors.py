"""Somebody who asks."""

from uuid import UUID, uuid4

from app.domain.agent import AgentConfig
from app.domain.turn import Channel, VisitorSession
from app.store.agents import AgentRecords
from app.store.conversations import ConversationRecords
from app.store.system_of_record import SystemOfRecord
from app.store.tokens import TokenRecords


async def visitor_of(record: SystemOfRecord, workspace_id: UUID, agent_id: UUID) -> VisitorSession:
    """A new one, in a conversation with the agent."""
    async with record.write() as tx:
        visitor = await ConversationRecords(tx).visitor(agent_id, uuid4())
        conversation = await ConversationRecords(tx).start(visitor, Channel.WIDGET)
    return VisitorSession(workspace_id, agent_id, visitor.id, conversation.id)


async def visitor_of_new_agent(record: SystemOfRecord) -> VisitorSession:
    """In a conversation with the agent `Docs`, made for this."""
    async with record.write() as tx:
        workspace_id = await TokenRecords(tx).default_workspace()
        agent = await AgentRecords(tx).create(workspace_id, AgentConfig(name="Docs"))
    return await visitor_of(record, workspace_id, agent.id)
