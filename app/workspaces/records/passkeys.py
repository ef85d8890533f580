"""Operators' passkeys, of which the public half is kept."""

from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError

from app.core.errors import InvalidInput, NotFound
from app.store.tables.tenancy import OPERATORS, PASSKEYS
from app.store.transaction import Repository, value_of
from app.workspaces.operator import Operator
from app.workspaces.passkey import Passkey


class PasskeyRecords(Repository):
    def add(self, passkey: Passkey) -> None:
        """Raises InvalidInput where somebody has it already."""
        values = {name: getattr(passkey, name) for name in PASSKEYS.c.keys()}  # noqa: SIM118 (columns, not a dict)
        try:
            self._connection.execute(self._insert(PASSKEYS).values(**values))
        except IntegrityError as error:
            raise InvalidInput("", "This passkey already belongs to an account.") from error

    def of_operator(self, operator_id: UUID) -> list[Passkey]:
        """By age."""
        own = select(PASSKEYS).where(PASSKEYS.c.operator_id == operator_id).order_by(PASSKEYS.c.created_at)
        return self._values(Passkey, own)

    def count(self, operator_id: UUID) -> int:
        own = select(func.count()).select_from(PASSKEYS).where(PASSKEYS.c.operator_id == operator_id)
        return self._connection.scalar(own) or 0

    def owner(self, credential_id: bytes) -> tuple[Passkey, Operator] | None:
        """To be used: whoever uses it at the same time waits."""
        row = self._connection.execute(
            select(PASSKEYS).where(PASSKEYS.c.credential_id == credential_id).with_for_update()
        ).first()
        if row is None:
            return None
        owner = self._connection.execute(select(OPERATORS).where(OPERATORS.c.id == row.operator_id)).one()
        return value_of(Passkey, row), value_of(Operator, owner)

    def used(self, passkey_id: UUID, sign_count: int, challenged_at: int) -> None:
        values = {"sign_count": sign_count, "challenged_at": challenged_at, "used_at": self._now()}
        self._connection.execute(update(PASSKEYS).where(PASSKEYS.c.id == passkey_id).values(**values))

    def remove(self, operator_id: UUID, passkey_id: UUID) -> None:
        """Raises NotFound."""
        if not self._delete(PASSKEYS, (PASSKEYS.c.id == passkey_id) & (PASSKEYS.c.operator_id == operator_id)):
            raise NotFound("passkey")

    def remove_all(self, operator_id: UUID) -> int:
        return self._delete(PASSKEYS, PASSKEYS.c.operator_id == operator_id)
