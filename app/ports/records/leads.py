"""Port: what visitors left for people to answer."""

from typing import Protocol
from uuid import UUID

from app.domain.lead import Lead
from app.domain.list_page import ListPage, PageRequest


class LeadRecords(Protocol):
    async def add(self, lead: Lead) -> None:
        """Raises NotFound where the conversation is not that visitor's with that agent, or was erased."""
        ...

    async def page(self, agent_id: UUID, page: PageRequest) -> ListPage[Lead]:
        """Latest first."""
        ...
