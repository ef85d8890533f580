"""Who changed what."""

from typing import Any
from uuid import UUID

from app.adapters.sql.models import AuditRow
from app.adapters.sql.session import SqlFamily
from app.adapters.sql.time_ordered_id import new_id


class SqlAudit(SqlFamily):
    async def record(self, workspace_id: UUID, actor: str, action: str, subject: str, details: dict[str, Any]) -> None:
        await self._session.execute(
            self._insert(AuditRow).values(
                id=new_id(),
                workspace_id=workspace_id,
                actor=actor,
                action=action,
                subject=subject,
                details=details,
                created_at=self._now(),
            )
        )
