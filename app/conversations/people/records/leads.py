"""What visitors left for people to answer."""

from uuid import UUID

from sqlalchemy import select, update

from app.conversations.people.lead import Lead
from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.store.codec import value_of
from app.store.keyset import Keyset
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import CONVERSATIONS
from app.store.tables.people import LEADS
from app.store.transaction import Repository

_LATEST_FIRST = Keyset(LEADS.c.created_at, LEADS.c.id, descending=True)


class LeadRecords(Repository):
    def add(self, lead: Lead) -> None:
        """Raises NotFound where the conversation is not that visitor's with that agent, or was erased."""
        known = select(CONVERSATIONS.c.id).where(
            CONVERSATIONS.c.id == lead.conversation_id,
            CONVERSATIONS.c.visitor_id == lead.visitor_id,
            CONVERSATIONS.c.agent_id == lead.agent_id,
        )
        if self._connection.scalar(known) is None:
            raise NotFound("conversation")
        self._connection.execute(
            self._insert(LEADS).values(
                id=lead.id,
                agent_id=lead.agent_id,
                visitor_id=lead.visitor_id,
                conversation_id=lead.conversation_id,
                name=lead.name,
                email=lead.email,
                message=lead.message,
                created_at=lead.created_at,
            )
        )

    def get(self, workspace_id: UUID, lead_id: UUID) -> Lead:
        """Raises NotFound, for a foreign one as well."""
        statement = (
            select(LEADS)
            .join(AGENTS, AGENTS.c.id == LEADS.c.agent_id)
            .where(LEADS.c.id == lead_id, AGENTS.c.workspace_id == workspace_id)
        )
        row = self._connection.execute(statement).first()
        if row is None:
            raise NotFound("lead")
        return value_of(Lead, row)

    def assign(self, lead_id: UUID, assignee: str) -> None:
        self._connection.execute(update(LEADS).where(LEADS.c.id == lead_id).values(assignee=assignee))

    def page(self, agent_id: UUID, page: PageRequest) -> ListPage[Lead]:
        """Latest first."""
        statement = select(LEADS).where(LEADS.c.agent_id == agent_id)
        return _LATEST_FIRST.page(self._connection, statement, page, lambda row: value_of(Lead, row))
