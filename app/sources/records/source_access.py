"""What sources' websites ask of their readers: the secret lies there sealed."""

from typing import Any
from uuid import UUID

from sqlalchemy import Row, select

from app.sources.source_access import AccessFacts, AccessKind, SourceAccess
from app.store.sealed_rows import SealedRows
from app.store.tables.sources import SOURCE_ACCESS
from app.store.transaction import Repository, new_id, value_of


class SourceAccessRecords(Repository):
    """One of a source, whose workspace the caller has checked."""

    def set(self, source_id: UUID, access: SourceAccess) -> AccessFacts:
        """In place of what the source had."""
        self.clear(source_id)
        row_id, facts = new_id(), AccessFacts(access.kind, access.name, self._now())
        sealed = SealedRows(self._tx, SOURCE_ACCESS).sealed(row_id, access.secret.encode())
        self._add(SOURCE_ACCESS, facts, id=row_id, source_id=source_id, **sealed)
        return facts

    def facts(self, source_id: UUID) -> AccessFacts | None:
        row = self._row(source_id)
        return None if row is None else value_of(AccessFacts, row)

    def opened(self, source_id: UUID) -> SourceAccess | None:
        """For the reading of the source. Raises SecretsLocked."""
        row = self._row(source_id)
        if row is None:
            return None
        return SourceAccess(AccessKind(row.kind), row.name, SealedRows(self._tx, SOURCE_ACCESS).opened(row).decode())

    def clear(self, source_id: UUID) -> bool:
        """Whether there was one."""
        return bool(self._delete(SOURCE_ACCESS, SOURCE_ACCESS.c.source_id == source_id))

    def _row(self, source_id: UUID) -> Row[Any] | None:
        return self._connection.execute(select(SOURCE_ACCESS).where(SOURCE_ACCESS.c.source_id == source_id)).first()
