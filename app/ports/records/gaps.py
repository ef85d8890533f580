"""Port: gaps, as operators see them. They come to be in TurnRecords."""

from typing import Protocol
from uuid import UUID

from app.domain.gap import Gap, GapState
from app.ports.records.page import ListPage, PageRequest


class GapRecords(Protocol):
    async def page(self, agent_id: UUID, state: GapState | None, page: PageRequest) -> ListPage[Gap]:
        """Most asked first, then latest."""
        ...

    async def get(self, workspace_id: UUID, gap_id: UUID) -> Gap:
        """Raises NotFound, for a foreign one as well."""
        ...

    async def set_state(self, workspace_id: UUID, gap_id: UUID, state: GapState, note: str) -> Gap:
        """Raises NotFound."""
        ...
