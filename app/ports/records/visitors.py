"""Port: all that is kept of a visitor, to be shown or erased."""

from typing import Protocol
from uuid import UUID

from app.domain.erasure import Erasure
from app.domain.visitor_export import VisitorExport


class VisitorRecords(Protocol):
    """Every method raises NotFound for what is absent or another workspace's."""

    async def everything(self, workspace_id: UUID, visitor_id: UUID) -> VisitorExport: ...

    async def conversation_ids(self, workspace_id: UUID, visitor_id: UUID) -> list[UUID]: ...

    async def erase(self, workspace_id: UUID, visitor_id: UUID) -> Erasure:
        """Remove the visitor with all that they wrote and were told.

        A gap that others have asked as well keeps their askings, wording and count; any other goes. What turns cost
        stays, under ids that lead nowhere.
        """
        ...

    async def erase_conversation(self, workspace_id: UUID, conversation_id: UUID) -> Erasure:
        """The same for one conversation; the visitor stays."""
        ...
