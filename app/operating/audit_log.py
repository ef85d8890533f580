"""What operators read of the audit log."""

from app.domain.audit_entry import EVERY_ENTRY, AuditEntry, AuditFilter
from app.domain.list_page import ListPage, PageRequest
from app.operating.actor import Actor
from app.store.audit import AuditRecords
from app.store.system_of_record import SystemOfRecord


class AuditLog:
    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def page(self, actor: Actor, page: PageRequest, only: AuditFilter = EVERY_ENTRY) -> ListPage[AuditEntry]:
        """Of the actor's workspace, latest first."""
        async with self._records.read() as tx:
            return await AuditRecords(tx).page(actor.workspace_id, page, only)
