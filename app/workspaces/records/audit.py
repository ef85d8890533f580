"""The audit log: who changed what."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Index, LargeBinary, Table, or_, select

from app.core.actor import Actor
from app.core.list_page import ListPage, PageRequest
from app.store.schema import Audited, Id, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.tables import all_tables
from app.store.transaction import Keyset, Repository, new_id
from app.workspaces.audit_entry import EVERY_ENTRY, AuditEntry, AuditFilter

# Append-only: no code changes or deletes a row. `actor` is a name; the account or token identifies its owner at the
# time, and may have been deleted since. Both are NULL for visitors, our own programs, and before they were stored. The
# hashes are of the subject's own rows, NULL if there are none: before it was created, after it was deleted, or because
# it belongs to a visitor.
AUDIT_LOG = table(
    "audit_log",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("actor", StorableText),
    column("operator_id", Id, nullable=True),
    column("token_id", Id, nullable=True),
    column("action", StorableText),
    column("subject", StorableText),
    column("details", StorableJson),
    column("before_sha256", LargeBinary(32), nullable=True),
    column("after_sha256", LargeBinary(32), nullable=True),
    column("created_at", UtcDateTime),
    Index(None, "workspace_id", "created_at"),
)

_SEALED: Final = ("sealed", "sealed_by")  # left out, because sealing the same secret again gives other bytes
_LATEST_FIRST = Keyset(AUDIT_LOG.c.created_at, AUDIT_LOG.c.id, descending=True)


class AuditRecords(Repository):
    """Appends entries in the transaction of the change, and reads them."""

    def acted(self, actor: Actor, action: str, subject: UUID, /, **details: Any) -> None:
        """Add an entry to the actor's workspace; `action` reads "agent.publish". Call this after the change, because it
        stores hashes of the subject before this transaction and now."""
        self._add(
            AUDIT_LOG,
            id=new_id(),
            workspace_id=actor.workspace_id,
            actor=actor.name,
            operator_id=actor.operator_id,
            token_id=actor.token_id,
            action=action,
            subject=str(subject),
            details=details,
            before_sha256=self._before(action, subject),
            after_sha256=_sha256(self._connection, action, subject),
            created_at=self._now(),
        )

    def _before(self, action: str, subject: UUID) -> bytes | None:
        with self._tx.before() as connection:
            return _sha256(connection, action, subject)

    def page(self, workspace_id: UUID, page: PageRequest, only: AuditFilter = EVERY_ENTRY) -> ListPage[AuditEntry]:
        """Latest first."""
        statement = select(AUDIT_LOG).where(AUDIT_LOG.c.workspace_id == workspace_id)
        if only.actor is not None:
            statement = statement.where(_is_by(only.actor))
        if only.action is not None:
            statement = statement.where(AUDIT_LOG.c.action.startswith(only.action, autoescape=True))
        if only.subject is not None:
            statement = statement.where(AUDIT_LOG.c.subject == only.subject)
        if only.since is not None:
            statement = statement.where(AUDIT_LOG.c.created_at >= only.since)
        if only.until is not None:
            statement = statement.where(AUDIT_LOG.c.created_at < only.until)
        found = self._page(_LATEST_FIRST, AuditEntry, statement, page)
        names = self._names(found.items)
        return replace(found, items=[replace(each, subject_name=names.get(each.subject, "")) for each in found.items])

    def _names(self, entries: Iterable[AuditEntry]) -> dict[str, str]:
        """Names by id, of subjects that still exist and have one."""
        by_kind: dict[str, set[UUID]] = {}
        for entry in entries:
            with suppress(ValueError):  # some subjects have no row: a mail address, a key
                by_kind.setdefault(entry.action.partition(".")[0], set()).add(UUID(entry.subject))
        found: dict[str, str] = {}
        for kind, ids in by_kind.items():
            for subjects, audited in _tables_of(kind).items():
                if audited.name:
                    rows = self._connection.execute(select(subjects).where(subjects.c.id.in_(ids)))
                    found.update((str(row.id), audited.name(row)) for row in rows)
        return found


@cache
def _tables_of(kind: str) -> Mapping[Table, Audited]:
    """The tables with rows of this kind of subject, the subjects' own table first."""
    audited = [(each, each.info[Audited]) for each in all_tables().sorted_tables if Audited in each.info]
    return {subjects: each for subjects, each in audited if each.kind == kind}


def _sha256(reader: Connection, action: str, subject_id: UUID) -> bytes | None:
    """A hash of the rows of an action's subject, as `reader` sees them; None without rows. It shows that something
    changed without revealing the content."""
    found = []
    for subjects, audited in _tables_of(action.partition(".")[0]).items():
        left_out = (*audited.unhashed, *_SEALED)
        columns = [each for each in subjects.columns if each.name not in left_out]
        rows = reader.execute(select(*columns).where(subjects.c[audited.key] == subject_id))
        found += [[subjects.name, dict(row)] for row in rows.mappings()]
    if not found:
        return None
    return hashlib.sha256(json.dumps(found, sort_keys=True, default=_as_json).encode()).digest()


def _as_json(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def _is_by(name_or_id: str) -> ColumnElement[bool]:
    wanted = [AUDIT_LOG.c.actor == name_or_id]
    with suppress(ValueError):
        actor_id = UUID(name_or_id)
        wanted += [AUDIT_LOG.c.operator_id == actor_id, AUDIT_LOG.c.token_id == actor_id]
    return or_(*wanted)
