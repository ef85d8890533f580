"""Who changed what."""

from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from app.domain.audit_entry import EVERY_ENTRY, AuditEntry, AuditFilter
from app.domain.list_page import ListPage, PageRequest
from app.ports.clock import Clock
from app.store.keyset import Keyset
from app.store.models import AuditRow
from app.store.row_states import state_of
from app.store.session import SqlFamily
from app.store.time_ordered_id import new_id
from app.store.unbroken import unbroken

_LATEST_FIRST = Keyset(AuditRow.created_at, AuditRow.id, descending=True)


class SqlAudit(SqlFamily):
    """`committed` has connections that see what stood before this transaction."""

    def __init__(self, session: AsyncSession, clock: Clock, committed: AsyncEngine) -> None:
        super().__init__(session, clock)
        self._committed = committed

    async def record(self, workspace_id: UUID, actor: str, action: str, subject: str, details: dict[str, Any]) -> None:
        await self._session.execute(
            self._insert(AuditRow).values(
                id=new_id(),
                workspace_id=workspace_id,
                actor=actor,
                action=action,
                subject=subject,
                details=details,
                before_sha256=await unbroken(self._before(action, subject)),
                after_sha256=await state_of(self._session, action, subject),
                created_at=self._now(),
            )
        )

    async def _before(self, action: str, subject: str) -> bytes | None:
        async with self._committed.connect() as connection:
            return await state_of(connection, action, subject)

    async def page(
        self, workspace_id: UUID, page: PageRequest, only: AuditFilter = EVERY_ENTRY
    ) -> ListPage[AuditEntry]:
        statement = select(AuditRow).where(AuditRow.workspace_id == workspace_id)
        if only.actor is not None:
            statement = statement.where(AuditRow.actor == only.actor)
        if only.action is not None:
            statement = statement.where(AuditRow.action.startswith(only.action, autoescape=True))
        if only.subject is not None:
            statement = statement.where(AuditRow.subject == only.subject)
        return await _LATEST_FIRST.page(self._session, statement, page, _entry)


def _entry(row: AuditRow) -> AuditEntry:
    return AuditEntry(row.id, row.actor, row.action, row.subject, row.details, row.created_at)
