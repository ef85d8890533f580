"""What a model wrote about chunks, and which of it they are indexed with."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import delete, select, update

from app.agents.context_kind import ChunkToSituate, VersionToSituate
from app.core.chunk import content_hash, searchable_text
from app.knowledge.document import VersionState
from app.store.batches import batches
from app.store.models import ChunkContextRow, ChunkRow, DocumentVersionRow, EmbeddingRow
from app.store.transaction import Repository


class ContextRecords(Repository):
    def version(self, version_id: UUID) -> VersionToSituate | None:
        """Of any state; None when it is gone."""
        named = select(DocumentVersionRow.document_id, DocumentVersionRow.title)
        version = self._connection.execute(named.where(DocumentVersionRow.id == version_id)).first()
        if version is None:
            return None
        columns = select(ChunkRow.id, ChunkRow.text, ChunkRow.context, ChunkRow.indexed_context)
        rows = self._connection.execute(columns.where(ChunkRow.version_id == version_id).order_by(ChunkRow.position))
        return VersionToSituate(version.document_id, version.title, tuple(ChunkToSituate(*row) for row in rows))

    def live_versions(self, agent_id: UUID) -> list[UUID]:
        statement = select(DocumentVersionRow.id).where(
            DocumentVersionRow.agent_id == agent_id, DocumentVersionRow.state == VersionState.LIVE.value
        )
        return list(self._connection.scalars(statement.order_by(DocumentVersionRow.id)))

    def kept(self, document_id: UUID, model_id: str, keys: Sequence[str]) -> dict[str, str]:
        """The texts that the model wrote before, by key."""
        found: dict[str, str] = {}
        for batch in batches(dict.fromkeys(keys)):
            statement = select(ChunkContextRow.key, ChunkContextRow.text).where(
                ChunkContextRow.document_id == document_id,
                ChunkContextRow.model_id == model_id,
                ChunkContextRow.key.in_(batch),
            )
            found.update((key, text) for key, text in self._connection.execute(statement))
        return found

    def keep(self, document_id: UUID, model_id: str, written: Mapping[str, str]) -> None:
        """By key. They go with the document."""
        now = self._now()
        for batch in batches(sorted(written.items())):
            rows = [
                {"document_id": document_id, "key": key, "model_id": model_id, "text": text, "created_at": now}
                for key, text in batch
            ]
            self._connection.execute(self._insert(ChunkContextRow).on_conflict_do_nothing(), rows)

    def set_indexed(self, version_id: UUID, contexts: Mapping[str, str | None]) -> None:
        """What the named chunks are indexed with, by chunk id; None: their structural line. Their content hashes
        change with it, and embeddings that no chunk needs any more go."""
        changed: set[str] = set()
        for batch in batches(sorted(contexts)):
            columns = select(ChunkRow.id, ChunkRow.text, ChunkRow.context, ChunkRow.content_hash)
            statement = columns.where(ChunkRow.version_id == version_id, ChunkRow.id.in_(batch))
            for chunk_id, text, structural, old_hash in self._connection.execute(statement).all():
                indexed = contexts[chunk_id]
                new_hash = content_hash(searchable_text(structural if indexed is None else indexed, text))
                self._connection.execute(
                    update(ChunkRow)
                    .where(ChunkRow.id == chunk_id)
                    .values(indexed_context=indexed, content_hash=new_hash)
                )
                changed.add(old_hash)
        self._forget_embeddings(changed)

    def _forget_embeddings(self, hashes: set[str]) -> None:
        for batch in batches(sorted(hashes)):
            needed = select(ChunkRow.content_hash).where(ChunkRow.content_hash.in_(batch))
            self._connection.execute(
                delete(EmbeddingRow).where(
                    EmbeddingRow.content_hash.in_(batch), EmbeddingRow.content_hash.not_in(needed)
                )
            )
