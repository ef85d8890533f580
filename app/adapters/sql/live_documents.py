"""What an agent may answer from: live versions only."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, select

from app.adapters.sql.batches import batches
from app.adapters.sql.keyset import Keyset
from app.adapters.sql.models import ChunkRow, DocumentRow, DocumentVersionRow
from app.adapters.sql.session import SqlFamily
from app.adapters.sql.url_key import url_key
from app.domain.chunk import Chunk, ChunkDraft
from app.domain.document import Document, VersionState
from app.ports.records.documents import StoredChunk
from app.ports.records.page import ListPage, PageRequest

_OLDEST_FIRST = Keyset(DocumentRow.created_at, DocumentRow.id)


class SqlLiveDocuments(SqlFamily):
    async def live_hash(self, source_id: UUID, url: str) -> str | None:
        statement = (
            select(DocumentVersionRow.content_hash)
            .join(DocumentRow, DocumentRow.id == DocumentVersionRow.document_id)
            .where(DocumentRow.source_id == source_id, DocumentRow.url_key == url_key(url), _is_live())
        )
        return await self._session.scalar(statement)

    async def same_content(self, agent_id: UUID, content_hash: str, except_url: str) -> UUID | None:
        statement = (
            select(DocumentRow.id)
            .join(DocumentVersionRow, DocumentVersionRow.document_id == DocumentRow.id)
            .where(
                DocumentVersionRow.agent_id == agent_id,
                DocumentVersionRow.content_hash == content_hash,
                DocumentRow.url_key != url_key(except_url),
                _is_live(),
            )
            .order_by(DocumentRow.created_at, DocumentRow.id)
            .limit(1)
        )
        return await self._session.scalar(statement)

    async def document_at(self, source_id: UUID, url: str) -> UUID | None:
        return await self._session.scalar(
            select(DocumentRow.id).where(DocumentRow.source_id == source_id, DocumentRow.url_key == url_key(url))
        )

    async def live_chunks(self, agent_id: UUID, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        found: dict[str, Chunk] = {}
        for batch in batches(dict.fromkeys(chunk_ids)):
            statement = (
                select(ChunkRow, DocumentVersionRow, DocumentRow.url)
                .join(DocumentVersionRow, DocumentVersionRow.id == ChunkRow.version_id)
                .join(DocumentRow, DocumentRow.id == DocumentVersionRow.document_id)
                .where(ChunkRow.id.in_(batch), _is_live_of(agent_id))
            )
            for chunk, version, url in await self._session.execute(statement):
                found[chunk.id] = _chunk(chunk, version, url)
        return found

    async def agent_chunks(self, agent_id: UUID) -> list[StoredChunk]:
        statement = (
            select(ChunkRow, DocumentVersionRow)
            .join(DocumentVersionRow, DocumentVersionRow.id == ChunkRow.version_id)
            .where(_is_live_of(agent_id))
            .order_by(DocumentVersionRow.id, ChunkRow.position)
        )
        return [stored_chunk(chunk, version) for chunk, version in await self._session.execute(statement)]

    async def agent_ids(self) -> set[UUID]:
        kept = (VersionState.LIVE.value, VersionState.RETIRED.value)
        statement = select(DocumentVersionRow.agent_id).where(DocumentVersionRow.state.in_(kept)).distinct()
        return set(await self._session.scalars(statement))

    async def live_chunk_ids(self, agent_id: UUID) -> set[str]:
        statement = (
            select(ChunkRow.id)
            .join(DocumentVersionRow, DocumentVersionRow.id == ChunkRow.version_id)
            .where(_is_live_of(agent_id))
        )
        return set(await self._session.scalars(statement))

    async def page(self, agent_id: UUID, page: PageRequest, source_id: UUID | None = None) -> ListPage[Document]:
        has_live = DocumentRow.id.in_(select(DocumentVersionRow.document_id).where(_is_live_of(agent_id)))
        statement = select(DocumentRow).where(DocumentRow.agent_id == agent_id, has_live)
        if source_id is not None:
            statement = statement.where(DocumentRow.source_id == source_id)
        rows = (await self._session.scalars(_OLDEST_FIRST.after(statement, page))).all()
        shown = rows[: page.limit]
        live = await self._live_versions([row.id for row in shown])
        return ListPage([_document(row, *live[row.id]) for row in shown], _OLDEST_FIRST.next_cursor(rows, page))

    async def counts(self, agent_id: UUID) -> tuple[int, int]:
        documents = select(func.count()).select_from(DocumentVersionRow).where(_is_live_of(agent_id))
        chunks = (
            select(func.count())
            .select_from(ChunkRow)
            .join(DocumentVersionRow, DocumentVersionRow.id == ChunkRow.version_id)
            .where(_is_live_of(agent_id))
        )
        return await self._session.scalar(documents) or 0, await self._session.scalar(chunks) or 0

    async def _live_versions(self, document_ids: Sequence[UUID]) -> dict[UUID, tuple[DocumentVersionRow, int]]:
        """By document: its live version and how many chunks that has."""
        chunks = (
            select(func.count())
            .select_from(ChunkRow)
            .where(ChunkRow.version_id == DocumentVersionRow.id)
            .correlate(DocumentVersionRow)
            .scalar_subquery()
        )
        statement = select(DocumentVersionRow, chunks).where(
            DocumentVersionRow.document_id.in_(document_ids), _is_live()
        )
        found = await self._session.execute(statement)
        return {version.document_id: (version, count or 0) for version, count in found}


def stored_chunk(chunk: ChunkRow, version: DocumentVersionRow) -> StoredChunk:
    return StoredChunk(
        id=chunk.id,
        agent_id=version.agent_id,
        document_version_id=version.id,
        title=version.title,
        searchable_text=ChunkDraft(chunk.position, chunk.text, chunk.context).searchable_text,
        content_hash=chunk.content_hash,
    )


def _is_live() -> ColumnElement[bool]:
    return DocumentVersionRow.state == VersionState.LIVE.value


def _is_live_of(agent_id: UUID) -> ColumnElement[bool]:
    return and_(DocumentVersionRow.agent_id == agent_id, _is_live())


def _chunk(chunk: ChunkRow, version: DocumentVersionRow, url: str) -> Chunk:
    return Chunk(
        id=chunk.id,
        agent_id=version.agent_id,
        document_id=version.document_id,
        position=chunk.position,
        text=chunk.text,
        context=chunk.context,
        url=url,
        title=version.title,
        anchor=chunk.anchor,
        breadcrumb=tuple(chunk.breadcrumb),
        as_of=version.as_of,
        language=version.language,
    )


def _document(row: DocumentRow, version: DocumentVersionRow, chunk_count: int) -> Document:
    return Document(
        id=row.id,
        agent_id=row.agent_id,
        source_id=row.source_id,
        url=row.url,
        title=version.title,
        language=version.language,
        as_of=version.as_of,
        chunk_count=chunk_count,
        updated_at=row.updated_at,
    )
