"""What operators read of the audit log."""

from app.core.actor import Actor
from app.core.list_page import ListPage, PageRequest
from app.store.system_of_record import SystemOfRecord
from app.workspaces.audit_entry import EVERY_ENTRY, AuditEntry, AuditFilter
from app.workspaces.records.audit import AuditRecords


class AuditLog:
    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def page(self, actor: Actor, page: PageRequest, only: AuditFilter = EVERY_ENTRY) -> ListPage[AuditEntry]:
        """Of the actor's workspace, latest first."""
        return await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: AuditRecords(tx).page(actor.workspace_id, page, only)
        )
