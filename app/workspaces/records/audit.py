"""Who changed what."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Column, ColumnElement, Row, or_, select

from app.core.actor import Actor
from app.core.list_page import ListPage, PageRequest
from app.store.audit_digest import digest_of
from app.store.tables.actions import ACTIONS
from app.store.tables.agents import AGENTS, CURATED_ANSWERS
from app.store.tables.people import SAVED_FILTERS, SAVED_REPLIES
from app.store.tables.sources import SOURCES
from app.store.tables.tenancy import API_TOKENS, AUDIT_LOG, OPERATORS, WORKSPACES
from app.store.tables.webhooks import NOTICE_CHANNELS, WEBHOOKS
from app.store.transaction import Keyset, Repository, new_id
from app.workspaces.audit_entry import EVERY_ENTRY, AuditEntry, AuditFilter

# What an action's first word names: the column of its id, and what people call a row. Nothing of visitors.
_NAMED: Final[Mapping[str, tuple[Column[UUID], Callable[[Row[Any]], str]]]] = {
    "agent": (AGENTS.c.id, lambda row: str(row.draft["name"])),
    "source": (SOURCES.c.id, lambda row: str(row.config["name"])),
    "curated_answer": (CURATED_ANSWERS.c.id, lambda row: str(row.pattern)),
    "saved_reply": (SAVED_REPLIES.c.id, lambda row: str(row.title)),
    "saved_filter": (SAVED_FILTERS.c.id, lambda row: str(row.name)),
    "action": (ACTIONS.c.id, lambda row: str(row.title or row.name)),
    "notice_channel": (NOTICE_CHANNELS.c.id, lambda row: str(row.name)),
    "webhook": (WEBHOOKS.c.id, lambda row: str(row.url)),
    "token": (API_TOKENS.c.id, lambda row: str(row.name)),
    "operator": (OPERATORS.c.id, lambda row: str(row.email)),
    "workspace": (WORKSPACES.c.id, lambda row: str(row.name)),
}
_LATEST_FIRST = Keyset(AUDIT_LOG.c.created_at, AUDIT_LOG.c.id, descending=True)


class AuditRecords(Repository):
    """Append-only, in the same transaction as the change."""

    def acted(self, actor: Actor, action: str, subject: UUID, /, **details: Any) -> None:
        """In the actor's workspace; `action` reads "agent.publish". Called after the change, it keeps a hash of the
        subject as it stood before this transaction, and one as it stands now."""
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
            after_sha256=digest_of(self._connection, action, subject),
            created_at=self._now(),
        )

    def _before(self, action: str, subject: UUID) -> bytes | None:
        with self._tx.before() as connection:
            return digest_of(connection, action, subject)

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
        """Of the subjects that are there and have one, by their ids."""
        by_kind: dict[str, set[UUID]] = {}
        for entry in entries:
            with suppress(ValueError):  # some name what has no row: a mail address, a key
                by_kind.setdefault(entry.action.partition(".")[0], set()).add(UUID(entry.subject))
        found: dict[str, str] = {}
        for kind, ids in by_kind.items():
            if kind in _NAMED:
                key, name_of = _NAMED[kind]
                rows = self._connection.execute(select(key.table).where(key.in_(ids)))
                found.update((str(row.id), name_of(row)) for row in rows)
        return found


def _is_by(name_or_id: str) -> ColumnElement[bool]:
    wanted = [AUDIT_LOG.c.actor == name_or_id]
    with suppress(ValueError):
        actor_id = UUID(name_or_id)
        wanted += [AUDIT_LOG.c.operator_id == actor_id, AUDIT_LOG.c.token_id == actor_id]
    return or_(*wanted)
