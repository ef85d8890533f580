"""Somebody who asks."""

from uuid import UUID, uuid4

from app.agents.agent import AgentConfig
from app.agents.records.agents import AgentRecords
from app.conversations.records.conversations import ConversationRecords
from app.core.turn import Channel, VisitorSession
from app.store.system_of_record import SystemOfRecord
from app.workspaces.records.tokens import TokenRecords


async def visitor_of(record: SystemOfRecord, workspace_id: UUID, agent_id: UUID) -> VisitorSession:
    """A new one, in a conversation with the agent."""
    with record.writing() as tx:
        visitor = ConversationRecords(tx).visitor(agent_id, uuid4())
        conversation = ConversationRecords(tx).start(visitor, Channel.WIDGET)
    return VisitorSession(workspace_id, agent_id, visitor.id, conversation.id)


async def visitor_of_new_agent(record: SystemOfRecord) -> VisitorSession:
    """In a conversation with the agent `Docs`, made for this."""
    with record.writing() as tx:
        workspace_id = TokenRecords(tx).default_workspace()
        agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="Docs"))
    return await visitor_of(record, workspace_id, agent.id)
