"""Second factors of accounts: the secret lies there sealed."""

from typing import Any
from uuid import UUID

from sqlalchemy import Row, select, update

from app.store.secret_keys import Sealed
from app.store.tables.tenancy import OPERATORS
from app.store.transaction import Repository
from app.workspaces.second_factor import SecondFactor


class SecondFactorRecords(Repository):
    def of_operator(self, operator_id: UUID, *, to_use: bool = False) -> SecondFactor | None:
        """`to_use` has whoever uses it at the same time wait. Raises SecretsLocked."""
        statement = select(OPERATORS).where(OPERATORS.c.id == operator_id, OPERATORS.c.totp_secret.is_not(None))
        row = self._connection.execute(statement.with_for_update() if to_use else statement).first()
        if row is None:
            return None
        return SecondFactor(self._opened(row).decode(), row.totp_step, tuple(row.recovery_sha256))

    def has(self, operator_id: UUID) -> bool:
        """Whether it is on, whoever can open it."""
        return (
            self._connection.scalar(select(OPERATORS.c.totp_sealed_by).where(OPERATORS.c.id == operator_id)) is not None
        )

    def set(self, operator_id: UUID, factor: SecondFactor) -> None:
        sealed = self._tx.secret_keys.seal(factor.secret.encode(), _place(operator_id))
        self._change(
            operator_id,
            totp_secret=sealed.data,
            totp_sealed_by=sealed.key_name,
            totp_step=factor.last_step,
            recovery_sha256=list(factor.recovery_sha256),
        )

    def remove(self, operator_id: UUID) -> None:
        self._change(operator_id, totp_secret=None, totp_sealed_by=None, totp_step=None, recovery_sha256=None)

    def seal_again(self) -> int:
        """With the key that seals now; return how many. Raises SecretsLocked."""
        rows = self._rows()
        for row in rows:
            sealed = self._tx.secret_keys.seal(self._opened(row), _place(row.id))
            self._change(row.id, totp_secret=sealed.data, totp_sealed_by=sealed.key_name)
        return len(rows)

    def forget_locked(self) -> int:
        """Remove those that no key opens, for nobody could sign in with them; return how many."""
        locked = [row.id for row in self._rows() if not self._tx.secret_keys.can_open(*_sealed(row))]
        for operator_id in locked:
            self.remove(operator_id)
        return len(locked)

    def _rows(self) -> list[Row[Any]]:
        statement = select(OPERATORS).where(OPERATORS.c.totp_secret.is_not(None)).with_for_update()
        return list(self._connection.execute(statement))

    def _opened(self, row: Row[Any]) -> bytes:
        return self._tx.secret_keys.open(*_sealed(row))

    def _change(self, operator_id: UUID, **values: object) -> None:
        self._connection.execute(update(OPERATORS).where(OPERATORS.c.id == operator_id).values(**values))


def _sealed(row: Row[Any]) -> tuple[Sealed, str]:
    return Sealed(row.totp_secret, row.totp_sealed_by), _place(row.id)


def _place(operator_id: UUID) -> str:
    return f"operators.totp_secret:{operator_id}"
