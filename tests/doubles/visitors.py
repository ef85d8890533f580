"""Somebody who asks, and whom."""

from uuid import UUID, uuid4

from app.agents.agent import Agent, AgentConfig
from app.agents.records import AgentRecords
from app.conversations.records.conversations import ConversationRecords
from app.core.turn import Channel, VisitorSession
from app.store.system_of_record import SystemOfRecord
from app.workspaces.records.tokens import TokenRecords

DOCS = AgentConfig(name="Docs")


async def visitor_of(record: SystemOfRecord, workspace_id: UUID, agent_id: UUID) -> VisitorSession:
    """A new one, in a conversation with the agent."""
    with record.writing() as tx:
        visitor = ConversationRecords(tx).visitor(agent_id, uuid4())
        conversation = ConversationRecords(tx).start(visitor, Channel.WIDGET)
    return VisitorSession(workspace_id, agent_id, visitor.id, conversation.id)


async def visitor_of_new_agent(record: SystemOfRecord) -> VisitorSession:
    """In a conversation with the agent `Docs`, made for this."""
    agent = new_agent(record)
    return await visitor_of(record, agent.workspace_id, agent.id)


def new_agent(record: SystemOfRecord, config: AgentConfig = DOCS, *, is_published: bool = False) -> Agent:
    """Of the first workspace."""
    with record.writing() as tx:
        agent = AgentRecords(tx).create(TokenRecords(tx).default_workspace(), config)
        if is_published:
            AgentRecords(tx).publish(agent.workspace_id, agent.id)
    return agent
