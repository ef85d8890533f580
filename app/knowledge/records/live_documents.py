"""What an agent may answer from: only live versions."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, TypeAlias
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, and_, bindparam, func, select

from app.core.chunk import Chunk, StoredChunk, searchable_text
from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.search_filter import SearchFilter
from app.core.text.markdown.links import TextLink
from app.knowledge.document import Document, PageTexts, VersionState
from app.store.schema import url_key
from app.store.tables.agents import AGENTS
from app.store.tables.knowledge import CHUNKS, DOCUMENT_VERSIONS, DOCUMENTS
from app.store.transaction import Keyset, Repository, among, batches

LiveRow: TypeAlias = tuple[str, str | None, date]  # a live chunk's id, indexed_context, and its version's as_of

_OLDEST_FIRST = Keyset(DOCUMENTS.c.created_at, DOCUMENTS.c.id)

# Columns instead of whole rows: every question reads a hundred chunks, every re-index reads all of them.
STORED_CHUNKS = select(
    CHUNKS.c.id,
    CHUNKS.c.text,
    CHUNKS.c.context,
    CHUNKS.c.indexed_context,
    CHUNKS.c.content_hash,
    DOCUMENT_VERSIONS.c.id,
    DOCUMENT_VERSIONS.c.agent_id,
    DOCUMENT_VERSIONS.c.title,
).join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.id == CHUNKS.c.version_id)
_CHUNK_COLUMNS = (
    CHUNKS.c.id,
    CHUNKS.c.position,
    CHUNKS.c.text,
    CHUNKS.c.context,
    CHUNKS.c.breadcrumb,
    CHUNKS.c.anchor,
    CHUNKS.c.indexed_context,
    CHUNKS.c.links,
    DOCUMENT_VERSIONS.c.agent_id,
    DOCUMENT_VERSIONS.c.document_id,
    DOCUMENT_VERSIONS.c.title,
    DOCUMENT_VERSIONS.c.language,
    DOCUMENT_VERSIONS.c.as_of,
    DOCUMENT_VERSIONS.c.dated,
    DOCUMENTS.c.url,
    DOCUMENTS.c.source_id,
)
_CHUNKS = (
    select(*_CHUNK_COLUMNS)
    .join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.id == CHUNKS.c.version_id)
    .join(DOCUMENTS, DOCUMENTS.c.id == DOCUMENT_VERSIONS.c.document_id)
)

# Statements of each question are built once: which chunks are live, and the parts of them that may have changed.
_near = CHUNKS.alias("near")
_NAMED = among("chunk_ids")
# NULL if the version is not live. Not a join: SQLite would scan all chunks of the agent's live versions.
_LIVE_AS_OF = (
    select(DOCUMENT_VERSIONS.c.as_of)
    .where(
        DOCUMENT_VERSIONS.c.id == CHUNKS.c.version_id,
        DOCUMENT_VERSIONS.c.agent_id == bindparam("agent_id"),
        DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value,
    )
    .scalar_subquery()
)
_LIVE = select(CHUNKS.c.id, CHUNKS.c.indexed_context, _LIVE_AS_OF).where(CHUNKS.c.id.in_(_NAMED))
_AROUND = (
    select(_near.c.id, _near.c.indexed_context, _LIVE_AS_OF, CHUNKS.c.id)
    .select_from(CHUNKS)
    .join(_near, _near.c.version_id == CHUNKS.c.version_id)
    .where(
        CHUNKS.c.id.in_(_NAMED),
        _near.c.position.between(CHUNKS.c.position - bindparam("reach"), CHUNKS.c.position + bindparam("reach")),
    )
    .order_by(_near.c.position)
)

# Statements of each page that is read, built once as well.
_AT_URL = and_(DOCUMENTS.c.source_id == bindparam("source_id"), DOCUMENTS.c.url_key == bindparam("url_key"))
_DOCUMENT_AT_URL = select(DOCUMENTS.c.id).where(_AT_URL)
_VERSIONS = select(DOCUMENTS.c.id, DOCUMENT_VERSIONS.c.id).join(
    DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id
)
_HASHES_AT_URL = _VERSIONS.with_only_columns(DOCUMENT_VERSIONS.c.state, DOCUMENT_VERSIONS.c.content_hash).where(
    _AT_URL, DOCUMENT_VERSIONS.c.state.in_((VersionState.LIVE.value, VersionState.HELD.value))
)
_OLDEST_LIVE = (
    _VERSIONS.where(DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value)
    .order_by(DOCUMENTS.c.created_at, DOCUMENTS.c.id)
    .limit(bindparam("most"))
)
_SAME_CONTENT = _OLDEST_LIVE.where(
    ~_AT_URL,
    DOCUMENT_VERSIONS.c.agent_id == bindparam("agent_id"),
    DOCUMENT_VERSIONS.c.content_hash == bindparam("content_hash"),
)
_SAME_TITLE = _OLDEST_LIVE.where(
    ~_AT_URL, DOCUMENTS.c.source_id == bindparam("source_id"), DOCUMENT_VERSIONS.c.title == bindparam("title")
)


class LiveDocumentRecords(Repository):
    def hashes(self, source_id: UUID, url: str) -> dict[VersionState, str]:
        """Content hashes of the URL's live and of its held version, if it has them."""
        found = self._connection.execute(_HASHES_AT_URL, at_url(source_id, url))
        return {VersionState(state): content_hash for state, content_hash in found}

    def same_content(self, agent_id: UUID, content_hash: str, source_id: UUID, url: str) -> UUID | None:
        """Another document of the agent than the source's at `url`, whose live version has this content, or None."""
        content = {"agent_id": agent_id, "content_hash": content_hash, "most": 1}
        found: UUID | None = self._connection.scalar(_SAME_CONTENT, at_url(source_id, url) | content)
        return found

    def same_title(self, source_id: UUID, title: str, except_url: str, limit: int) -> list[PageTexts]:
        """Up to `limit` documents of the source whose live version has this title, oldest first, except the one at
        `except_url`."""
        titled = at_url(source_id, except_url) | {"title": title, "most": limit}
        found: list[PageTexts] = []
        for document_id, version_id in self._connection.execute(_SAME_TITLE, titled).all():
            texts = select(CHUNKS.c.text).where(CHUNKS.c.version_id == version_id).order_by(CHUNKS.c.position)
            found.append(PageTexts(document_id, tuple(self._connection.scalars(texts))))
        return found

    def url_of(self, document_id: UUID) -> str | None:
        return self._connection.scalar(select(DOCUMENTS.c.url).where(DOCUMENTS.c.id == document_id))

    def document_at(self, source_id: UUID, url: str) -> UUID | None:
        return self._connection.scalar(_DOCUMENT_AT_URL, at_url(source_id, url))

    def live_chunks(self, agent_id: UUID, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The chunks with these ids that the agent may answer from, because their versions are live."""
        live: list[LiveRow] = []
        for batch in batches(dict.fromkeys(chunk_ids)):
            rows = self._connection.execute(_LIVE, {"chunk_ids": batch, "agent_id": agent_id}).all()
            live += (row for row in rows if row[2])
        chunks = self._chunks_now(live)
        for gone in set(chunk_ids) - chunks.keys():
            self._tx.known.chunks.forget(gone)
        return chunks

    def versions_passing(
        self, agent_id: UUID, filters: Sequence[SearchFilter], document_id: UUID | None = None
    ) -> set[UUID]:
        """The agent's live document versions that pass every filter, of one document if it is given."""
        statement = (
            select(DOCUMENT_VERSIONS.c.id, DOCUMENTS.c.url, DOCUMENT_VERSIONS.c.attributes)
            .join(DOCUMENTS, DOCUMENTS.c.id == DOCUMENT_VERSIONS.c.document_id)
            .where(is_live_of(agent_id), *(condition for one in filters for condition in _conditions(one)))
        )
        if document_id is not None:
            statement = statement.where(DOCUMENTS.c.id == document_id)
        rows = self._connection.execute(statement)
        return {
            version_id
            for version_id, url, attributes in rows
            if all(one.has_path_of(url) for one in filters)
            and all(part.passes(attributes) for one in filters for part in one.attributes)
        }

    def around(self, agent_id: UUID, chunk_ids: Sequence[str], reach: int) -> dict[str, list[Chunk]]:
        """For each named live chunk: itself and up to `reach` chunks of its page on either side, in order."""
        rows: list[tuple[str, str | None, date, str]] = []
        for batch in batches(dict.fromkeys(chunk_ids)):
            of_batch = {"chunk_ids": batch, "agent_id": agent_id, "reach": reach}
            rows += (row for row in self._connection.execute(_AROUND, of_batch).all() if row[2])
        chunks = self._chunks_now([(key, context, as_of) for key, context, as_of, _ in rows])
        found: dict[str, list[Chunk]] = {}
        for key, _, _, centre in rows:
            found.setdefault(centre, []).append(chunks[key])
        return found

    def _chunks_now(self, live: Iterable[LiveRow]) -> dict[str, Chunk]:
        """The chunks of these rows, in order, with what may have changed. Chunks that are not cached are read."""
        known, of_now = self._tx.known.chunks, {key: (context, as_of) for key, context, as_of in live}
        chunks = known.get_all(of_now)
        for batch in batches([key for key in of_now if key not in chunks]):
            rows: Iterable[Any] = self._connection.execute(_CHUNKS.where(CHUNKS.c.id.in_(batch)))
            for chunk in (_chunk(*row) for row in rows):
                known.keep(chunk.id, chunk)
                chunks[chunk.id] = chunk
        return {key: _as_of_now(chunks[key], *of_chunk) for key, of_chunk in of_now.items() if key in chunks}

    def page_chunks(self, agent_id: UUID, urls: Sequence[str]) -> list[Chunk]:
        """The live chunks, in order, of the oldest document at one of the URLs; [] without one."""
        keys = [url_key(url) for url in urls]
        documents = (
            select(DOCUMENTS.c.id)
            .join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id)
            .where(DOCUMENTS.c.agent_id == agent_id, DOCUMENTS.c.url_key.in_(keys), _is_live())
            .order_by(DOCUMENTS.c.created_at, DOCUMENTS.c.id)
            .limit(1)
        )
        return self._chunks_of(agent_id, self._connection.scalar(documents))

    def document_chunks(self, workspace_id: UUID, document_id: UUID) -> list[Chunk]:
        """The live chunks of one document, in order; [] if it has no live version. Raises NotFound."""
        own = (
            select(DOCUMENTS.c.agent_id)
            .join(AGENTS, AGENTS.c.id == DOCUMENTS.c.agent_id)
            .where(DOCUMENTS.c.id == document_id, AGENTS.c.workspace_id == workspace_id)
        )
        agent_id = self._connection.scalar(own)
        if agent_id is None:
            raise NotFound("document")
        return self._chunks_of(agent_id, document_id)

    def _chunks_of(self, agent_id: UUID, document_id: UUID | None) -> list[Chunk]:
        statement = _CHUNKS.where(DOCUMENT_VERSIONS.c.document_id == document_id, is_live_of(agent_id))
        return self._chunks_in(statement.order_by(CHUNKS.c.position))

    def first_chunks(self, agent_id: UUID, limit: int) -> list[Chunk]:
        """Live chunks, page by page in order, oldest document first, which is usually a site's home page."""
        oldest_first = (DOCUMENTS.c.created_at, DOCUMENTS.c.id, CHUNKS.c.position)
        return self._chunks_in(_CHUNKS.where(is_live_of(agent_id)).order_by(*oldest_first).limit(limit))

    def _chunks_in(self, statement: Select[Any]) -> list[Chunk]:
        rows: Iterable[Any] = self._connection.execute(statement)
        return [_chunk(*row) for row in rows]

    def agent_chunks(self, agent_id: UUID) -> list[StoredChunk]:
        """Every live chunk of the agent, which its indexes must contain."""
        statement = STORED_CHUNKS.where(is_live_of(agent_id)).order_by(DOCUMENT_VERSIONS.c.id, CHUNKS.c.position)
        return [stored_chunk(*row) for row in self._connection.execute(statement)]

    def agent_ids(self) -> set[UUID]:
        """Agents with a live chunk or a retired version that was not purged, whose indexes therefore need checking."""
        kept = (VersionState.LIVE.value, VersionState.RETIRED.value)
        statement = select(DOCUMENT_VERSIONS.c.agent_id).where(DOCUMENT_VERSIONS.c.state.in_(kept)).distinct()
        return set(self._connection.scalars(statement))

    def page(self, agent_id: UUID, page: PageRequest, source_id: UUID | None = None) -> ListPage[Document]:
        """Live documents, oldest first."""
        has_live = DOCUMENTS.c.id.in_(select(DOCUMENT_VERSIONS.c.document_id).where(is_live_of(agent_id)))
        statement = select(DOCUMENTS).where(DOCUMENTS.c.agent_id == agent_id, has_live)
        if source_id is not None:
            statement = statement.where(DOCUMENTS.c.source_id == source_id)
        rows = self._connection.execute(_OLDEST_FIRST.after(statement, page)).all()
        shown = rows[: page.limit]
        live = self._live_versions([row.id for row in shown])
        return ListPage([_document(row, *live[row.id]) for row in shown], _OLDEST_FIRST.next_cursor(rows, page))

    def urls(self, source_id: UUID) -> list[tuple[UUID, str]]:
        """The id and URL of each document of the source."""
        statement = (
            select(DOCUMENTS.c.id, DOCUMENTS.c.url)
            .join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id)
            .where(DOCUMENTS.c.source_id == source_id, DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value)
        )
        return [(document_id, url) for document_id, url in self._connection.execute(statement)]

    def counts(self, agent_id: UUID) -> tuple[int, int]:
        """The number of live documents and of live chunks."""
        documents = select(func.count()).select_from(DOCUMENT_VERSIONS).where(is_live_of(agent_id))
        chunks = (
            select(func.count())
            .select_from(CHUNKS)
            .join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.id == CHUNKS.c.version_id)
            .where(is_live_of(agent_id))
        )
        return self._connection.scalar(documents) or 0, self._connection.scalar(chunks) or 0

    def languages(self, agent_id: UUID) -> dict[str | None, int]:
        """How many live documents are in each language (BCP 47 primary subtag; None if unknown)."""
        language = DOCUMENT_VERSIONS.c.language
        counted = select(language, func.count()).where(is_live_of(agent_id)).group_by(language)
        return {row[0]: row[1] for row in self._connection.execute(counted)}

    def _live_versions(self, document_ids: Sequence[UUID]) -> dict[UUID, tuple[Row[Any], int]]:
        """By document: its live version and the number of its chunks."""
        chunks = (
            select(func.count())
            .select_from(CHUNKS)
            .where(CHUNKS.c.version_id == DOCUMENT_VERSIONS.c.id)
            .correlate(DOCUMENT_VERSIONS)
            .scalar_subquery()
        )
        statement = select(DOCUMENT_VERSIONS, chunks.label("chunk_count")).where(
            DOCUMENT_VERSIONS.c.document_id.in_(document_ids), _is_live()
        )
        found = self._connection.execute(statement)
        return {version.document_id: (version, version.chunk_count or 0) for version in found}


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
    return StoredChunk(
        id=id,
        agent_id=agent_id,
        document_version_id=version_id,
        title=title,
        searchable_text=searchable_text(context if indexed_context is None else indexed_context, text),
        content_hash=content_hash,
    )


def at_url(source_id: UUID, url: str) -> dict[str, object]:
    return {"source_id": source_id, "url_key": url_key(url)}


def _is_live() -> ColumnElement[bool]:
    return DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value


def is_live_of(agent_id: UUID) -> ColumnElement[bool]:  # on DOCUMENT_VERSIONS
    return and_(DOCUMENT_VERSIONS.c.agent_id == agent_id, _is_live())


def _conditions(one: SearchFilter) -> Iterable[ColumnElement[bool]]:
    day = func.coalesce(DOCUMENT_VERSIONS.c.dated, DOCUMENT_VERSIONS.c.as_of)
    if one.sources:
        yield DOCUMENTS.c.source_id.in_(one.sources)
    if one.languages:
        yield DOCUMENT_VERSIONS.c.language.in_(one.languages)
    if one.dated_from:
        yield day >= one.dated_from
    if one.dated_to:
        yield day <= one.dated_to


def _chunk(
    id: str,  # noqa: A002
    position: int,
    text: str,
    context: str,
    breadcrumb: list[str],
    anchor: str | None,
    indexed_context: str | None,
    links: list[list[Any]],
    agent_id: UUID,
    document_id: UUID,
    title: str,
    language: str | None,
    as_of: date,
    dated: date | None,
    url: str,
    source_id: UUID,
) -> Chunk:
    """Build a chunk from a row of `_CHUNKS`."""
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
        links=tuple(TextLink.from_row(*link) for link in links),
    )


def _as_of_now(chunk: Chunk, written_context: str | None, as_of: date) -> Chunk:
    """The chunk with what may change: the date of its last reading, and its context in the indexes."""
    if chunk.as_of == as_of and chunk.written_context == written_context:
        return chunk
    return replace(chunk, as_of=as_of, written_context=written_context)


def _document(row: Row[*tuple[Any, ...]], version: Row[Any], chunk_count: int) -> Document:
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
