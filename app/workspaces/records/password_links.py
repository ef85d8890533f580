"""Links by which operators choose a password: the SHA-256 of a token is all that is kept of it."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, select

from app.store.tables.tenancy import OPERATORS, PASSWORD_LINKS
from app.store.transaction import Repository
from app.workspaces.operator import Operator


class PasswordLinkRecords(Repository):
    def add(self, operator_id: UUID, sha256: bytes, expires_at: datetime) -> None:
        self._add(PASSWORD_LINKS, sha256=sha256, operator_id=operator_id, created_at=self._now(), expires_at=expires_at)

    def live_count(self, operator_id: UUID) -> int:
        """0 for nobody's id as well."""
        own = PASSWORD_LINKS.c.operator_id == operator_id, PASSWORD_LINKS.c.expires_at > self._now()
        return self._connection.scalar(select(func.count()).select_from(PASSWORD_LINKS).where(*own)) or 0

    def owner(self, sha256: bytes) -> Operator | None:
        """Whose it is, while it holds and the account is open."""
        statement = (
            select(OPERATORS)
            .join(PASSWORD_LINKS, PASSWORD_LINKS.c.operator_id == OPERATORS.c.id)
            .where(PASSWORD_LINKS.c.sha256 == sha256, PASSWORD_LINKS.c.expires_at > self._now())
            .where(OPERATORS.c.disabled_at.is_(None))
        )
        return self._value(Operator, statement)

    def take(self, sha256: bytes) -> Operator | None:
        """Whose it was: of those who take it at the same time one gets it."""
        owner = self.owner(sha256)
        return owner if owner and self._delete(PASSWORD_LINKS, PASSWORD_LINKS.c.sha256 == sha256) else None

    def end_of(self, operator_id: UUID) -> None:
        self._delete(PASSWORD_LINKS, PASSWORD_LINKS.c.operator_id == operator_id)

    def forget_expired(self) -> None:
        """Of everyone's."""
        self._connection.execute(delete(PASSWORD_LINKS).where(PASSWORD_LINKS.c.expires_at <= self._now()))
