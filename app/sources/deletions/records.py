"""Deletions, counted before and after in the transaction that removes the rows."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Delete, Index, Row, Select, String, Table, and_, delete, func, select

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.sources.deletions.deletion import DeletedKind, Deletion, DeletionState, StoreCounts
from app.store.schema import Id, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.tables.agents import AGENTS, own_row
from app.store.tables.knowledge import (
    CHUNKS,
    DOCUMENT_VERSIONS,
    DOCUMENTS,
    EMBEDDING_CACHE,
    GIVEN_DOCUMENTS,
    PAGE_CHANGES,
    SOURCES,
)
from app.store.transaction import Repository, config_from_json, new_id

# The receipt of a deletion. Agent and subject are no foreign keys, because it outlives them.
DELETIONS = table(
    "deletions",
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    column("agent_id", Id),
    column("kind", String(20)),
    column("subject_id", Id),
    column("name", StorableText),
    column("state", String(20)),
    column("before", StorableJson),
    column("after", StorableJson),
    column("version_ids", StorableJson),
    column("requested_at", UtcDateTime),
    column("verified_at", UtcDateTime, nullable=True),
    Index(None, "state", "agent_id"),
)


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is deleted: its table, and the condition for its documents."""

    id: UUID
    agent_id: UUID
    name: str
    table: Table
    documents: ColumnElement[bool]


class DeletionRecords(Repository):
    def erase(self, workspace_id: UUID, kind: DeletedKind, subject_id: UUID) -> Deletion:
        """Delete the subject with everything that belongs to it and the cached vectors that nothing else needs, raise
        the agent's generation, and store a pending receipt. Raises NotFound, also across workspaces."""
        subject = self._subject(workspace_id, kind, subject_id)
        version_ids = tuple(self._connection.scalars(_versions_of(subject).order_by(DOCUMENT_VERSIONS.c.id)))
        before = self._counts(subject)
        self._delete(EMBEDDING_CACHE, _needed_by_nothing_else(subject))
        if kind is DeletedKind.DOCUMENT:
            self._connection.execute(_given_as(subject))
            self._delete(PAGE_CHANGES, PAGE_CHANGES.c.document_id == subject.id)  # the page's earlier text
        embeddings = self._embeddings(subject)  # while its chunks still determine them
        self._delete(subject.table, subject.table.c.id == subject.id)
        if kind is not DeletedKind.AGENT:
            AgentRecords(self._tx).bump_generation(subject.agent_id)
        after = self._counts(subject)
        deletion = Deletion(
            id=new_id(),
            workspace_id=workspace_id,
            agent_id=subject.agent_id,
            kind=kind,
            subject_id=subject.id,
            name=subject.name,
            state=DeletionState.PENDING,
            before=before,
            after=StoreCounts(after.documents, after.versions, after.chunks, embeddings),
            requested_at=self._now(),
            version_ids=() if kind is DeletedKind.AGENT else version_ids,
        )
        self._add(DELETIONS, deletion)
        return deletion

    def deletion(self, workspace_id: UUID, deletion_id: UUID) -> Deletion:
        """Raises NotFound."""
        of_workspace = DELETIONS.c.id == deletion_id, DELETIONS.c.workspace_id == workspace_id
        return self._found(Deletion, select(DELETIONS).where(*of_workspace), "deletion")

    def pending(self, agent_id: UUID | None = None) -> list[Deletion]:
        """Pending deletions of one agent or of all, oldest first."""
        statement = select(DELETIONS).where(DELETIONS.c.state == DeletionState.PENDING.value)
        if agent_id is not None:
            statement = statement.where(DELETIONS.c.agent_id == agent_id)
        return self._values(Deletion, statement.order_by(DELETIONS.c.requested_at, DELETIONS.c.id))

    def unfinished(self, workspace_id: UUID, requested_before: datetime, limit: int) -> list[Deletion]:
        """Deletions that have been pending since before the given time, oldest first."""
        statement = select(DELETIONS).where(
            DELETIONS.c.workspace_id == workspace_id,
            DELETIONS.c.state == DeletionState.PENDING.value,
            DELETIONS.c.requested_at < requested_before,
        )
        return self._values(Deletion, statement.order_by(DELETIONS.c.requested_at, DELETIONS.c.id).limit(limit))

    def count_in_indexes(self, deletion_id: UUID, vectors: int, keywords: int) -> None:
        """Store the rows that the indexes had before they were cleared. The first count stays."""
        row = self._locked(deletion_id)
        if row is not None and row.before["vectors"] is None:
            counted = {**row.before, "vectors": vectors, "keywords": keywords}
            self._update(DELETIONS, DELETIONS.c.id == deletion_id, before=counted)

    def verify(self, deletion_id: UUID) -> None:
        """Mark as verified: both indexes were counted again and contain none of it."""
        row = self._locked(deletion_id)
        if row is not None and row.state == DeletionState.PENDING.value:
            end = {
                "state": DeletionState.VERIFIED.value,
                "after": {**row.after, "vectors": 0, "keywords": 0},
                "version_ids": [],
                "verified_at": self._now(),
            }
            self._update(DELETIONS, DELETIONS.c.id == deletion_id, **end)

    def _locked(self, deletion_id: UUID) -> Row[Any] | None:
        return self._connection.execute(
            select(DELETIONS).where(DELETIONS.c.id == deletion_id).with_for_update()
        ).first()

    def _subject(self, workspace_id: UUID, kind: DeletedKind, subject_id: UUID) -> _Subject:
        match kind:
            case DeletedKind.AGENT:
                own = select(AGENTS).where(AGENTS.c.id == subject_id, AGENTS.c.workspace_id == workspace_id)
                agent = self._first_row(own.with_for_update(), "agent")
                name = config_from_json(AgentConfig, agent.draft).name
                return _Subject(agent.id, agent.id, name, AGENTS, DOCUMENTS.c.agent_id == agent.id)
            case DeletedKind.SOURCE:
                own = own_row(SOURCES, workspace_id, subject_id)
                source = self._first_row(own.with_for_update(of=SOURCES), "source")
                name = source.config["name"]
                return _Subject(source.id, source.agent_id, name, SOURCES, DOCUMENTS.c.source_id == source.id)
            case DeletedKind.DOCUMENT:
                own = own_row(DOCUMENTS, workspace_id, subject_id)
                document = self._first_row(own.with_for_update(of=DOCUMENTS), "document")
                return _Subject(document.id, document.agent_id, document.url, DOCUMENTS, DOCUMENTS.c.id == document.id)

    def _counts(self, subject: _Subject) -> StoreCounts:
        versions = _versions_of(subject)
        return StoreCounts(
            self._count(select(DOCUMENTS.c.id).where(subject.documents)),
            self._count(versions),
            self._count(select(CHUNKS.c.id).where(CHUNKS.c.version_id.in_(versions))),
            self._embeddings(subject),
        )

    def _count(self, found: Select[Any]) -> int:
        return self._connection.scalar(select(func.count()).select_from(found.subquery())) or 0

    def _embeddings(self, subject: _Subject) -> int:
        statement = select(func.count()).select_from(EMBEDDING_CACHE).where(_needed_by_nothing_else(subject))
        return self._connection.scalar(statement) or 0


def _versions_of(subject: _Subject) -> Select[Any]:
    documents = select(DOCUMENTS.c.id).where(subject.documents)
    return select(DOCUMENT_VERSIONS.c.id).where(DOCUMENT_VERSIONS.c.document_id.in_(documents))


def _needed_by_nothing_else(subject: _Subject) -> ColumnElement[bool]:
    versions = _versions_of(subject)
    its = select(CHUNKS.c.content_hash).where(CHUNKS.c.version_id.in_(versions))
    others = select(CHUNKS.c.content_hash).where(CHUNKS.c.version_id.not_in(versions))
    return and_(EMBEDDING_CACHE.c.content_hash.in_(its), EMBEDDING_CACHE.c.content_hash.not_in(others))


def _given_as(subject: _Subject) -> Delete:
    """Deletes a document that an operator added under this address: the next reading would learn it again."""
    document = select(DOCUMENTS.c.id).where(
        subject.documents,
        DOCUMENTS.c.source_id == GIVEN_DOCUMENTS.c.source_id,
        DOCUMENTS.c.url_key == GIVEN_DOCUMENTS.c.url_key,
    )
    return delete(GIVEN_DOCUMENTS).where(document.exists())
