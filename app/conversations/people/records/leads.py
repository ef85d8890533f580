"""What visitors left for people to answer."""

from uuid import UUID

from sqlalchemy import select, update

from app.conversations.people.lead import Lead
from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import CONVERSATIONS
from app.store.tables.people import LEADS
from app.store.transaction import Keyset, Repository

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
        self._add(LEADS, lead)

    def get(self, workspace_id: UUID, lead_id: UUID) -> Lead:
        """Raises NotFound, for a foreign one as well."""
        statement = (
            select(LEADS)
            .join(AGENTS, AGENTS.c.id == LEADS.c.agent_id)
            .where(LEADS.c.id == lead_id, AGENTS.c.workspace_id == workspace_id)
        )
        return self._found(Lead, statement, "lead")

    def assign(self, lead_id: UUID, assignee: str) -> None:
        self._connection.execute(update(LEADS).where(LEADS.c.id == lead_id).values(assignee=assignee))

    def page(self, agent_id: UUID, page: PageRequest) -> ListPage[Lead]:
        """Latest first."""
        statement = select(LEADS).where(LEADS.c.agent_id == agent_id)
        return self._page(_LATEST_FIRST, Lead, statement, page)
