"""Rows that hold a secret in the column `sealed`, sealed with the key `sealed_by` for that row alone."""

from typing import Any
from uuid import UUID

from sqlalchemy import Column, LargeBinary, Row, String, Table, select

from app.core.errors import SecretsLocked
from app.store.schema import column
from app.store.secret_keys import Sealed
from app.store.tables import all_tables
from app.store.transaction import Repository, Transaction


def sealed_columns() -> tuple[Column[Any], ...]:
    """The columns that `SealedRows` needs."""
    return column("sealed", LargeBinary), column("sealed_by", String(16))


def sealed_tables() -> list[Table]:
    return [table for table in all_tables().sorted_tables if "sealed" in table.columns]


class SealedRows(Repository):
    def __init__(self, tx: Transaction, table: Table) -> None:
        super().__init__(tx)
        self._table = table

    def sealed(self, row_id: UUID, secret: bytes) -> dict[str, Any]:
        """Seal the secret for the row; return the values of both columns."""
        sealed = self._tx.secret_keys.seal(secret, self._place(row_id))
        return {"sealed": sealed.data, "sealed_by": sealed.key_name}

    def opened(self, row: Row[Any]) -> bytes:
        """The row's secret. Raises SecretsLocked if no key opens it."""
        return self._tx.secret_keys.open(Sealed(row.sealed, row.sealed_by), self._place(row.id))

    def opened_or_none(self, row: Row[Any]) -> bytes | None:
        """The row's secret; None if no key opens it."""
        try:
            return self.opened(row)
        except SecretsLocked:
            return None

    def seal_again(self) -> int:
        """Seal all rows again, with the current key; return how many. Raises SecretsLocked."""
        rows = self._connection.execute(select(self._table).with_for_update()).all()
        for row in rows:
            sealed = self.sealed(row.id, self.opened(row))
            self._update(self._table, self._table.c.id == row.id, **sealed)
        return len(rows)

    def forget_locked(self) -> int:
        """Delete the rows that no key opens; return how many."""
        keys = self._tx.secret_keys
        locked = [
            row.id
            for row in self._connection.execute(select(self._table))
            if not keys.can_open(Sealed(row.sealed, row.sealed_by), self._place(row.id))
        ]
        self._delete(self._table, self._table.c.id.in_(locked))
        return len(locked)

    def _place(self, row_id: UUID) -> str:
        return f"{self._table.name}.sealed:{row_id}"
