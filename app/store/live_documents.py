"""What an agent may answer from: live versions only."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import aliased

from app.domain.chunk import Chunk, StoredChunk, searchable_text
from app.domain.document import Document, PageTexts, VersionState
from app.domain.errors import NotFound
from app.domain.list_page import ListPage, PageRequest
from app.domain.search_filter import SearchFilter
from app.store.batches import batches
from app.store.keyset import Keyset
from app.store.models import AgentRow, ChunkRow, DocumentRow, DocumentVersionRow
from app.store.transaction import Repository
from app.store.url_key import url_key

_OLDEST_FIRST = Keyset(DocumentRow.created_at, DocumentRow.id)

# Columns instead of whole rows: every question reads a hundred chunks, every re-index all of them.
STORED_CHUNKS = select(
    ChunkRow.id,
    ChunkRow.text,
    ChunkRow.context,
    ChunkRow.indexed_context,
    ChunkRow.content_hash,
    DocumentVersionRow.id,
    DocumentVersionRow.agent_id,
    DocumentVersionRow.title,
).join(DocumentVersionRow, DocumentVersionRow.id == ChunkRow.version_id)
_CHUNKS = (
    select(
        ChunkRow.id,
        ChunkRow.position,
        ChunkRow.text,
        ChunkRow.context,
        ChunkRow.breadcrumb,
        ChunkRow.anchor,
        ChunkRow.indexed_context,
        DocumentVersionRow.agent_id,
        DocumentVersionRow.document_id,
        DocumentVersionRow.title,
        DocumentVersionRow.language,
        DocumentVersionRow.as_of,
        DocumentVersionRow.dated,
        DocumentRow.url,
        DocumentRow.source_id,
    )
    .join(DocumentVersionRow, DocumentVersionRow.id == ChunkRow.version_id)
    .join(DocumentRow, DocumentRow.id == DocumentVersionRow.document_id)
)


class LiveDocumentRecords(Repository):
    async def live_hash(self, source_id: UUID, url: str) -> str | None:
        """Content hash of the URL's live version, or None."""
        statement = (
            select(DocumentVersionRow.content_hash)
            .join(DocumentRow, DocumentRow.id == DocumentVersionRow.document_id)
            .where(DocumentRow.source_id == source_id, DocumentRow.url_key == url_key(url), _is_live())
        )
        return await self._session.scalar(statement)

    async def same_content(self, agent_id: UUID, content_hash: str, except_url: str) -> UUID | None:
        """Another document of the agent whose live version has this content, or None."""
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

    async def same_title(self, source_id: UUID, title: str, except_url: str, limit: int) -> list[PageTexts]:
        """Up to `limit` documents of the source whose live version has this title, oldest first, but for the one at
        `except_url`."""
        versions = (
            select(DocumentRow.id, DocumentVersionRow.id)
            .join(DocumentVersionRow, DocumentVersionRow.document_id == DocumentRow.id)
            .where(
                DocumentRow.source_id == source_id,
                DocumentRow.url_key != url_key(except_url),
                DocumentVersionRow.title == title,
                _is_live(),
            )
            .order_by(DocumentRow.created_at, DocumentRow.id)
            .limit(limit)
        )
        found: list[PageTexts] = []
        for document_id, version_id in (await self._session.execute(versions)).all():
            texts = select(ChunkRow.text).where(ChunkRow.version_id == version_id).order_by(ChunkRow.position)
            found.append(PageTexts(document_id, tuple(await self._session.scalars(texts))))
        return found

    async def url_of(self, document_id: UUID) -> str | None:
        return await self._session.scalar(select(DocumentRow.url).where(DocumentRow.id == document_id))

    async def document_at(self, source_id: UUID, url: str) -> UUID | None:
        return await self._session.scalar(
            select(DocumentRow.id).where(DocumentRow.source_id == source_id, DocumentRow.url_key == url_key(url))
        )

    async def live_chunks(self, agent_id: UUID, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Those of the named chunks that the agent may answer from: live versions only."""
        found: dict[str, Chunk] = {}
        for batch in batches(dict.fromkeys(chunk_ids)):
            statement = _CHUNKS.where(ChunkRow.id.in_(batch), _is_live_of(agent_id))
            rows: Iterable[Any] = await self._session.execute(statement)
            found.update((chunk.id, chunk) for chunk in (_chunk(*row) for row in rows))
        return found

    async def versions_passing(self, agent_id: UUID, filters: Sequence[SearchFilter]) -> set[UUID]:
        """The agent's live document versions that pass every filter."""
        rows = await self._session.execute(
            select(DocumentVersionRow.id, DocumentRow.url, DocumentVersionRow.attributes)
            .join(DocumentRow, DocumentRow.id == DocumentVersionRow.document_id)
            .where(_is_live_of(agent_id), *(condition for one in filters for condition in _conditions(one)))
        )
        return {
            version_id
            for version_id, url, attributes in rows
            if all(_is_below(url, one.path_prefixes) for one in filters)
            and all(part.passes(attributes) for one in filters for part in one.attributes)
        }

    async def around(self, agent_id: UUID, chunk_ids: Sequence[str], reach: int) -> dict[str, list[Chunk]]:
        """For each named live chunk: itself and up to `reach` chunks of its page on either side, in order."""
        other = aliased(ChunkRow)
        found: dict[str, list[Chunk]] = {}
        for batch in batches(dict.fromkeys(chunk_ids)):
            statement = (
                _CHUNKS.add_columns(other.id)
                .join(other, other.version_id == ChunkRow.version_id)
                .where(
                    other.id.in_(batch),
                    ChunkRow.position.between(other.position - reach, other.position + reach),
                    _is_live_of(agent_id),
                )
                .order_by(ChunkRow.position)
            )
            for *columns, centre in await self._session.execute(statement):
                found.setdefault(centre, []).append(_chunk(*columns))
        return found

    async def page_chunks(self, agent_id: UUID, urls: Sequence[str]) -> list[Chunk]:
        """The live chunks, in order, of the oldest document that stands at one of the URLs; [] without one."""
        keys = [url_key(url) for url in urls]
        documents = (
            select(DocumentRow.id)
            .join(DocumentVersionRow, DocumentVersionRow.document_id == DocumentRow.id)
            .where(DocumentRow.agent_id == agent_id, DocumentRow.url_key.in_(keys), _is_live())
            .order_by(DocumentRow.created_at, DocumentRow.id)
            .limit(1)
        )
        document_id = await self._session.scalar(documents)
        statement = _CHUNKS.where(DocumentVersionRow.document_id == document_id, _is_live_of(agent_id))
        rows: Iterable[Any] = await self._session.execute(statement.order_by(ChunkRow.position))
        return [_chunk(*row) for row in rows]

    async def document_chunks(self, workspace_id: UUID, document_id: UUID) -> list[Chunk]:
        """The live chunks of one document, in order; [] when no version of it is live. Raises NotFound."""
        own = (
            select(DocumentRow.agent_id)
            .join(AgentRow, AgentRow.id == DocumentRow.agent_id)
            .where(DocumentRow.id == document_id, AgentRow.workspace_id == workspace_id)
        )
        agent_id = await self._session.scalar(own)
        if agent_id is None:
            raise NotFound("document")
        statement = _CHUNKS.where(DocumentVersionRow.document_id == document_id, _is_live_of(agent_id))
        rows: Iterable[Any] = await self._session.execute(statement.order_by(ChunkRow.position))
        return [_chunk(*row) for row in rows]

    async def first_chunks(self, agent_id: UUID, limit: int) -> list[Chunk]:
        """Live chunks, page by page in their order, the oldest document first: a site's own first page, usually."""
        statement = (
            _CHUNKS.where(_is_live_of(agent_id))
            .order_by(DocumentRow.created_at, DocumentRow.id, ChunkRow.position)
            .limit(limit)
        )
        rows: Iterable[Any] = await self._session.execute(statement)
        return [_chunk(*row) for row in rows]

    async def agent_chunks(self, agent_id: UUID) -> list[StoredChunk]:
        """Every live chunk of the agent: what its indexes must hold."""
        statement = STORED_CHUNKS.where(_is_live_of(agent_id)).order_by(DocumentVersionRow.id, ChunkRow.position)
        return [stored_chunk(*row) for row in await self._session.execute(statement)]

    async def agent_ids(self) -> set[UUID]:
        """Agents that have a live chunk or a retired version that was not purged: those whose indexes must be looked
        after."""
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
        """Live documents, oldest first."""
        has_live = DocumentRow.id.in_(select(DocumentVersionRow.document_id).where(_is_live_of(agent_id)))
        statement = select(DocumentRow).where(DocumentRow.agent_id == agent_id, has_live)
        if source_id is not None:
            statement = statement.where(DocumentRow.source_id == source_id)
        rows = (await self._session.scalars(_OLDEST_FIRST.after(statement, page))).all()
        shown = rows[: page.limit]
        live = await self._live_versions([row.id for row in shown])
        return ListPage([_document(row, *live[row.id]) for row in shown], _OLDEST_FIRST.next_cursor(rows, page))

    async def counts(self, agent_id: UUID) -> tuple[int, int]:
        """Live documents, live chunks."""
        documents = select(func.count()).select_from(DocumentVersionRow).where(_is_live_of(agent_id))
        chunks = (
            select(func.count())
            .select_from(ChunkRow)
            .join(DocumentVersionRow, DocumentVersionRow.id == ChunkRow.version_id)
            .where(_is_live_of(agent_id))
        )
        return await self._session.scalar(documents) or 0, await self._session.scalar(chunks) or 0

    async def languages(self, agent_id: UUID) -> dict[str | None, int]:
        """How many live documents are in each language (BCP 47 primary subtag; None where it is not known)."""
        language = DocumentVersionRow.language
        counted = select(language, func.count()).where(_is_live_of(agent_id)).group_by(language)
        return {row[0]: row[1] for row in await self._session.execute(counted)}

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


def stored_chunk(
    id: str,  # noqa: A002
    text: str,
    context: str,
    indexed_context: str | None,
    content_hash: str,
    version_id: UUID,
    agent_id: UUID,
    title: str,
) -> StoredChunk:
    """From a row of `STORED_CHUNKS`."""
    return StoredChunk(
        id=id,
        agent_id=agent_id,
        document_version_id=version_id,
        title=title,
        searchable_text=searchable_text(context if indexed_context is None else indexed_context, text),
        content_hash=content_hash,
    )


def _is_live() -> ColumnElement[bool]:
    return DocumentVersionRow.state == VersionState.LIVE.value


def _is_live_of(agent_id: UUID) -> ColumnElement[bool]:
    return and_(DocumentVersionRow.agent_id == agent_id, _is_live())


def _conditions(one: SearchFilter) -> Iterable[ColumnElement[bool]]:
    day = func.coalesce(DocumentVersionRow.dated, DocumentVersionRow.as_of)
    if one.sources:
        yield DocumentRow.source_id.in_(one.sources)
    if one.languages:
        yield DocumentVersionRow.language.in_(one.languages)
    if one.dated_from:
        yield day >= one.dated_from
    if one.dated_to:
        yield day <= one.dated_to


def _is_below(url: str, path_prefixes: Sequence[str]) -> bool:
    return not path_prefixes or urlsplit(url).path.startswith(tuple(path_prefixes))


def _chunk(
    id: str,  # noqa: A002
    position: int,
    text: str,
    context: str,
    breadcrumb: list[str],
    anchor: str | None,
    indexed_context: str | None,
    agent_id: UUID,
    document_id: UUID,
    title: str,
    language: str | None,
    as_of: date,
    dated: date | None,
    url: str,
    source_id: UUID,
) -> Chunk:
    """From a row of `_CHUNKS`."""
    return Chunk(
        id=id,
        agent_id=agent_id,
        document_id=document_id,
        position=position,
        text=text,
        context=context,
        url=url,
        title=title,
        anchor=anchor,
        breadcrumb=tuple(breadcrumb),
        as_of=as_of,
        language=language,
        dated=dated,
        source_id=source_id,
        written_context=indexed_context,
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
        attributes={name: tuple(values) for name, values in version.attributes.items()},
    )
