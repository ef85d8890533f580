"""What visitors left for people to answer."""

from uuid import UUID

from sqlalchemy import select

from app.domain.errors import NotFound
from app.domain.lead import Lead
from app.domain.list_page import ListPage, PageRequest
from app.store.keyset import Keyset
from app.store.models import ConversationRow, LeadRow
from app.store.transaction import Repository

_LATEST_FIRST = Keyset(LeadRow.created_at, LeadRow.id, descending=True)


class LeadRecords(Repository):
    async def add(self, lead: Lead) -> None:
        """Raises NotFound where the conversation is not that visitor's with that agent, or was erased."""
        known = select(ConversationRow.id).where(
            ConversationRow.id == lead.conversation_id,
            ConversationRow.visitor_id == lead.visitor_id,
            ConversationRow.agent_id == lead.agent_id,
        )
        if await self._session.scalar(known) is None:
            raise NotFound("conversation")
        await self._session.execute(
            self._insert(LeadRow).values(
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

    async def page(self, agent_id: UUID, page: PageRequest) -> ListPage[Lead]:
        """Latest first."""
        statement = select(LeadRow).where(LeadRow.agent_id == agent_id)
        return await _LATEST_FIRST.page(self._session, statement, page, lead_of)


def lead_of(row: LeadRow) -> Lead:
    return Lead(
        id=row.id,
        agent_id=row.agent_id,
        visitor_id=row.visitor_id,
        conversation_id=row.conversation_id,
        name=row.name,
        email=row.email,
        message=row.message,
        created_at=row.created_at,
    )
