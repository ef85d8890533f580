"""Port: who changed what."""

from typing import Any, Protocol
from uuid import UUID

from app.domain.audit_entry import EVERY_ENTRY, AuditEntry, AuditFilter
from app.domain.list_page import ListPage, PageRequest


class AuditRecords(Protocol):
    """Append-only, in the same transaction as the change."""

    async def record(self, workspace_id: UUID, actor: str, action: str, subject: str, details: dict[str, Any]) -> None:
        """`actor` names a token or an operator, `action` reads "agent.publish", `subject` is an id. Called after the
        change, it keeps a hash of the subject as it stood before this transaction, and one as it stands now."""
        ...

    async def page(
        self, workspace_id: UUID, page: PageRequest, only: AuditFilter = EVERY_ENTRY
    ) -> ListPage[AuditEntry]:
        """Latest first."""
        ...
