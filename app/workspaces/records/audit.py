"""Who changed what."""

from typing import Any
from uuid import UUID

from sqlalchemy import select

from app.core.actor import Actor
from app.core.list_page import ListPage, PageRequest
from app.store.audit_digest import digest_of
from app.store.codec import value_of
from app.store.keyset import Keyset
from app.store.tables.tenancy import AUDIT_LOG
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository
from app.workspaces.audit_entry import EVERY_ENTRY, AuditEntry, AuditFilter

_LATEST_FIRST = Keyset(AUDIT_LOG.c.created_at, AUDIT_LOG.c.id, descending=True)


class AuditRecords(Repository):
    """Append-only, in the same transaction as the change."""

    def record(self, workspace_id: UUID, actor: str, action: str, subject: str, details: dict[str, Any]) -> None:
        """`actor` names a token or an operator, `action` reads "agent.publish", `subject` is an id. Called after the
        change, it keeps a hash of the subject as it stood before this transaction, and one as it stands now."""
        self._connection.execute(
            self._insert(AUDIT_LOG).values(
                id=new_id(),
                workspace_id=workspace_id,
                actor=actor,
                action=action,
                subject=subject,
                details=details,
                before_sha256=self._before(action, subject),
                after_sha256=digest_of(self._connection, action, subject),
                created_at=self._now(),
            )
        )

    def acted(self, actor: Actor, action: str, subject: UUID, /, **details: Any) -> None:
        """As `record`, of what an operator or a token did in their own workspace."""
        self.record(actor.workspace_id, actor.name, action, str(subject), details)

    def _before(self, action: str, subject: str) -> bytes | None:
        with self._tx.before() as connection:
            return digest_of(connection, action, subject)

    def page(self, workspace_id: UUID, page: PageRequest, only: AuditFilter = EVERY_ENTRY) -> ListPage[AuditEntry]:
        """Latest first."""
        statement = select(AUDIT_LOG).where(AUDIT_LOG.c.workspace_id == workspace_id)
        if only.actor is not None:
            statement = statement.where(AUDIT_LOG.c.actor == only.actor)
        if only.action is not None:
            statement = statement.where(AUDIT_LOG.c.action.startswith(only.action, autoescape=True))
        if only.subject is not None:
            statement = statement.where(AUDIT_LOG.c.subject == only.subject)
        if only.since is not None:
            statement = statement.where(AUDIT_LOG.c.created_at >= only.since)
        if only.until is not None:
            statement = statement.where(AUDIT_LOG.c.created_at < only.until)
        return _LATEST_FIRST.page(self._connection, statement, page, lambda row: value_of(AuditEntry, row))
