"""Who changed what."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Column, ColumnElement, Connection, Row, Table, or_, select

from app.core.actor import Actor
from app.core.list_page import ListPage, PageRequest
from app.store.tables.actions import ACTIONS
from app.store.tables.agents import AGENTS, CURATED_ANSWERS, GOLDEN_QUESTIONS, USER_ISSUERS, USER_KEYS
from app.store.tables.documents import DOCUMENT_VERSIONS, DOCUMENTS
from app.store.tables.gaps import GAPS, REPOSITORIES, STALE_ANSWERS
from app.store.tables.people import LIVE_CHATS, SAVED_FILTERS, SAVED_REPLIES
from app.store.tables.sources import SOURCE_HOOKS, SOURCE_SCHEDULES, SOURCES
from app.store.tables.tenancy import API_TOKENS, AUDIT_LOG, OPERATORS, WORKSPACES
from app.store.tables.webhooks import HELP_DESKS, NOTICE_CHANNELS, WEBHOOK_DELIVERIES, WEBHOOKS
from app.store.transaction import Keyset, Repository, new_id
from app.workspaces.audit_entry import EVERY_ENTRY, AuditEntry, AuditFilter


@dataclass(frozen=True, slots=True)
class _Subject:
    """What an action's first word names. `keys` are the columns that hold its id, its own row's first; `name` is what
    people call that row. Nothing of visitors: not even a hash of what they wrote outlives its erasure."""

    keys: tuple[Column[UUID], ...]
    name: Callable[[Row[Any]], str] | None = None


_SUBJECTS: Final[Mapping[str, _Subject]] = {
    "agent": _Subject(
        (AGENTS.c.id, USER_KEYS.c.agent_id, USER_ISSUERS.c.agent_id, HELP_DESKS.c.agent_id),
        lambda row: str(row.draft["name"]),
    ),
    "source": _Subject(
        (SOURCES.c.id, SOURCE_HOOKS.c.source_id, SOURCE_SCHEDULES.c.source_id), lambda row: str(row.config["name"])
    ),
    "document": _Subject((DOCUMENTS.c.id, DOCUMENT_VERSIONS.c.document_id)),
    "curated_answer": _Subject((CURATED_ANSWERS.c.id,), lambda row: str(row.pattern)),
    "action": _Subject((ACTIONS.c.id,), lambda row: str(row.title or row.name)),
    "golden_question": _Subject((GOLDEN_QUESTIONS.c.id,)),
    "gap": _Subject((GAPS.c.id,)),
    "repository": _Subject((REPOSITORIES.c.id,)),
    "stale_answer": _Subject((STALE_ANSWERS.c.id,)),
    "live_chat": _Subject((LIVE_CHATS.c.id,)),
    "saved_reply": _Subject((SAVED_REPLIES.c.id,), lambda row: str(row.title)),
    "saved_filter": _Subject((SAVED_FILTERS.c.id,), lambda row: str(row.name)),
    "webhook": _Subject((WEBHOOKS.c.id, WEBHOOK_DELIVERIES.c.id), lambda row: str(row.url)),
    "notice_channel": _Subject((NOTICE_CHANNELS.c.id,), lambda row: str(row.name)),
    "token": _Subject((API_TOKENS.c.id,), lambda row: str(row.name)),
    "operator": _Subject((OPERATORS.c.id,), lambda row: str(row.email)),
    "workspace": _Subject((WORKSPACES.c.id,), lambda row: str(row.name)),
}
_UNHASHED: Final[Mapping[Table, tuple[str, ...]]] = {
    GAPS: ("question", "question_key", "meaning"),  # a visitor's words
    STALE_ANSWERS: ("key", "old_words", "new_words", "new_answer"),  # what a visitor may have been told
    LIVE_CHATS: ("conversation_id",),  # which its visitor's erasure must leave nowhere
    DOCUMENT_VERSIONS: ("markdown",),  # long, and its hash is there
}
_SEALED: Final = ("sealed", "sealed_by")  # of any table: other bytes each time that a key seals it
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
        """Of the subjects that are there and have one, by their ids."""
        by_kind: dict[str, set[UUID]] = {}
        for entry in entries:
            with suppress(ValueError):  # some name what has no row: a mail address, a key
                by_kind.setdefault(entry.action.partition(".")[0], set()).add(UUID(entry.subject))
        found: dict[str, str] = {}
        for kind, ids in by_kind.items():
            subject = _SUBJECTS.get(kind)
            if subject and subject.name:
                rows = self._connection.execute(select(subject.keys[0].table).where(subject.keys[0].in_(ids)))
                found.update((str(row.id), subject.name(row)) for row in rows)
        return found


def _sha256(reader: Connection, action: str, subject_id: UUID) -> bytes | None:
    """Of the rows of an action's subject, as `reader` sees them; None where there are none. It shows that something
    changed and repeats nothing."""
    subject = _SUBJECTS.get(action.partition(".")[0])
    found = []
    for key in subject.keys if subject else ():
        left_out = (*_UNHASHED.get(key.table, ()), *_SEALED)
        columns = [column for column in key.table.columns if column.name not in left_out]
        rows = reader.execute(select(*columns).where(key == subject_id))
        found += [[key.table.name, dict(row)] for row in rows.mappings()]
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
