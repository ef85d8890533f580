"""Contexts that a model wrote for chunks, and which of them are indexed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import String, bindparam, delete, select, update

from app.core.chunk import content_hash, searchable_text
from app.knowledge.document import VersionState
from app.store.schema import StorableText, UtcDateTime, column, parent, table
from app.store.tables.knowledge import CHUNKS, DOCUMENT_VERSIONS, DOCUMENTS, EMBEDDING_CACHE
from app.store.transaction import Repository, batches

# The context that a model wrote for a chunk. `key` is the hash of the request.
CHUNK_CONTEXTS = table(
    "chunk_contexts",
    parent("document_id", "documents", primary_key=True),
    column("key", String(64), primary_key=True),
    column("model_id", String(200), primary_key=True),
    column("text", StorableText),
    column("created_at", UtcDateTime),
)


@dataclass(frozen=True, slots=True)
class ChunkToSituate:
    """`context` is the structural line; `indexed_context` replaces it in the indexes, unless it is None."""

    id: str
    text: str
    context: str
    indexed_context: str | None


@dataclass(frozen=True, slots=True)
class VersionToSituate:
    """A version of a document with its chunks in order."""

    document_id: UUID
    url: str
    title: str
    chunks: tuple[ChunkToSituate, ...]


# Built once, because learning a page needs it.
_WRITTEN = select(CHUNKS.c.id).where(
    CHUNKS.c.version_id == bindparam("version_id"), CHUNKS.c.indexed_context.is_not(None)
)


class ContextRecords(Repository):
    def has_written(self, version_id: UUID) -> bool:
        """Whether a chunk of the version is indexed with a model's text."""
        return self._connection.execute(_WRITTEN, {"version_id": version_id}).first() is not None

    def version(self, version_id: UUID) -> VersionToSituate | None:
        """The version, in any state; None if it is gone."""
        named = select(DOCUMENT_VERSIONS.c.document_id, DOCUMENTS.c.url, DOCUMENT_VERSIONS.c.title).join(
            DOCUMENTS, DOCUMENTS.c.id == DOCUMENT_VERSIONS.c.document_id
        )
        version = self._connection.execute(named.where(DOCUMENT_VERSIONS.c.id == version_id)).first()
        if version is None:
            return None
        columns = select(CHUNKS.c.id, CHUNKS.c.text, CHUNKS.c.context, CHUNKS.c.indexed_context)
        rows = self._connection.execute(columns.where(CHUNKS.c.version_id == version_id).order_by(CHUNKS.c.position))
        return VersionToSituate(
            version.document_id, version.url, version.title, tuple(ChunkToSituate(*row) for row in rows)
        )

    def live_versions(self, agent_id: UUID) -> list[UUID]:
        statement = select(DOCUMENT_VERSIONS.c.id).where(
            DOCUMENT_VERSIONS.c.agent_id == agent_id, DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value
        )
        return list(self._connection.scalars(statement.order_by(DOCUMENT_VERSIONS.c.id)))

    def kept(self, document_id: UUID, model_id: str, keys: Sequence[str]) -> dict[str, str]:
        """The texts that the model wrote earlier, by key."""
        found: dict[str, str] = {}
        for batch in batches(dict.fromkeys(keys)):
            statement = select(CHUNK_CONTEXTS.c.key, CHUNK_CONTEXTS.c.text).where(
                CHUNK_CONTEXTS.c.document_id == document_id,
                CHUNK_CONTEXTS.c.model_id == model_id,
                CHUNK_CONTEXTS.c.key.in_(batch),
            )
            found.update((key, text) for key, text in self._connection.execute(statement))
        return found

    def keep(self, document_id: UUID, model_id: str, written: Mapping[str, str]) -> None:
        """Store texts by key. They are deleted with the document."""
        now = self._now()
        for batch in batches(sorted(written.items())):
            rows = [
                {"document_id": document_id, "key": key, "model_id": model_id, "text": text, "created_at": now}
                for key, text in batch
            ]
            self._connection.execute(self._insert(CHUNK_CONTEXTS).on_conflict_do_nothing(), rows)

    def set_indexed(self, version_id: UUID, contexts: Mapping[str, str | None]) -> None:
        """Set the contexts with which the given chunks are indexed, by chunk id; None means their structural line. This
        changes their content hashes, and removes embeddings that no chunk needs any more."""
        changed: set[str] = set()
        for batch in batches(sorted(contexts)):
            columns = select(CHUNKS.c.id, CHUNKS.c.text, CHUNKS.c.context, CHUNKS.c.content_hash)
            statement = columns.where(CHUNKS.c.version_id == version_id, CHUNKS.c.id.in_(batch))
            for chunk_id, text, structural, old_hash in self._connection.execute(statement).all():
                indexed = contexts[chunk_id]
                new_hash = content_hash(searchable_text(structural if indexed is None else indexed, text))
                self._connection.execute(
                    update(CHUNKS).where(CHUNKS.c.id == chunk_id).values(indexed_context=indexed, content_hash=new_hash)
                )
                changed.add(old_hash)
        self._forget_embeddings(changed)

    def _forget_embeddings(self, hashes: set[str]) -> None:
        for batch in batches(sorted(hashes)):
            needed = select(CHUNKS.c.content_hash).where(CHUNKS.c.content_hash.in_(batch))
            self._connection.execute(
                delete(EMBEDDING_CACHE).where(
                    EMBEDDING_CACHE.c.content_hash.in_(batch), EMBEDDING_CACHE.c.content_hash.not_in(needed)
                )
            )
