"""Reads the audit log for operators."""

from typing import Final

from app.core.actor import Actor
from app.core.list_page import ListPage, PageRequest, collected
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction, reads
from app.workspaces.audit_entry import EVERY_ENTRY, AuditEntry, AuditFilter
from app.workspaces.records.audit import AuditRecords

MAX_EXPORTED: Final = 10_000


class AuditLog(Wired):
    _records: SystemOfRecord

    @reads
    def page(
        self, tx: Transaction, actor: Actor, page: PageRequest, only: AuditFilter = EVERY_ENTRY
    ) -> ListPage[AuditEntry]:
        """Entries of the actor's workspace, latest first."""
        return AuditRecords(tx).page(actor.workspace_id, page, only)

    async def fitting(self, actor: Actor, only: AuditFilter) -> list[AuditEntry]:
        """The latest MAX_EXPORTED, latest first."""
        return await collected(lambda page: self.page(actor, page, only), MAX_EXPORTED)
