"""Documents, their versions and chunks."""

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Uuid, and_, delete, exists, insert, literal, select, update

from app.agents.records.agents import AgentRecords
from app.core.chunk import ChunkDraft, StoredChunk, chunk_id
from app.core.chunk import content_hash as hash_of
from app.core.errors import NotFound
from app.core.page_url import site_name
from app.knowledge.document import LivePage, PageContent, PendingVersion, Review, SectionHeading, VersionState
from app.knowledge.injection_scan import Finding
from app.knowledge.records.live_documents import STORED_CHUNKS, stored_chunk
from app.knowledge.records.page_changes import PageChangeRecords
from app.sources.source import SourceConfig, SourceKind
from app.store.tables.documents import CHUNKS, DOCUMENT_VERSIONS, DOCUMENTS
from app.store.tables.sources import SOURCES
from app.store.transaction import Repository, batches, config_from_json, new_id, value_of
from app.store.url_key import url_key

_LIVE = VersionState.LIVE.value
_PENDING = VersionState.PENDING.value
_RETIRED = VersionState.RETIRED.value
_HELD = VersionState.HELD.value


class DocumentRecords(Repository):
    """What ingest changes. What searches see, what readings missed and what is held have a repository each."""

    def touch(self, document_id: UUID) -> None:
        """The page was read again and is unchanged: its "as of" becomes today."""
        now = self._now()
        self._connection.execute(
            update(DOCUMENT_VERSIONS)
            .where(DOCUMENT_VERSIONS.c.document_id == document_id, DOCUMENT_VERSIONS.c.state == _LIVE)
            .values(as_of=now.date())
        )
        self._connection.execute(update(DOCUMENTS).where(DOCUMENTS.c.id == document_id).values(updated_at=now))

    def add_pending(
        self,
        agent_id: UUID,
        source_id: UUID,
        page: PageContent,
        content_hash: str,
        chunks: Sequence[ChunkDraft],
        findings: Sequence[Finding] = (),
        *,
        is_held: bool = False,
        cut_as: str | None = None,
    ) -> PendingVersion:
        """A new pending version with its chunks, or one that is held; older ones of the same document that are pending
        or held are retired. Findings are open until an operator has looked at them. Chunks without `cut_as` are never
        cut anew."""
        document_id = self._document(agent_id, source_id, page.url)
        self._connection.execute(
            update(DOCUMENT_VERSIONS)
            .where(DOCUMENT_VERSIONS.c.document_id == document_id, DOCUMENT_VERSIONS.c.state.in_((_PENDING, _HELD)))
            .values(state=_RETIRED, review="")
        )
        state = VersionState.HELD if is_held else VersionState.PENDING
        version = PendingVersion(new_id(), agent_id, document_id, state)
        self._add(
            DOCUMENT_VERSIONS,
            id=version.id,
            document_id=document_id,
            agent_id=agent_id,
            state=state.value,
            content_hash=content_hash,
            title=page.title,
            language=page.language,
            as_of=self._today(),
            dated=page.modified or page.published,
            markdown=page.markdown,
            headings=[astuple(heading) for heading in page.headings],
            cut_as=cut_as,
            attributes={name: list(values) for name, values in page.attributes.items()},
            findings=[{"kind": finding.kind.value, "excerpt": finding.excerpt} for finding in findings],
            review=(Review.OPEN if findings else Review.NONE).value,
            created_at=self._now(),
        )
        self._add_chunks(version, chunks)
        return version

    def cut_otherwise(self, cut_as: str) -> LivePage | None:
        """A live page that was cut by other rules, or None; never one that is being learnt anew."""
        pending = DOCUMENT_VERSIONS.alias()
        is_pending = exists().where(
            pending.c.document_id == DOCUMENT_VERSIONS.c.document_id, pending.c.state == _PENDING
        )
        statement = (
            select(DOCUMENT_VERSIONS, DOCUMENTS.c.url, SOURCES.c.config)
            .join(DOCUMENTS, DOCUMENTS.c.id == DOCUMENT_VERSIONS.c.document_id)
            .join(SOURCES, SOURCES.c.id == DOCUMENTS.c.source_id)
            .where(DOCUMENT_VERSIONS.c.state == _LIVE, DOCUMENT_VERSIONS.c.cut_as != cut_as, ~is_pending)
            .limit(1)
        )
        found = self._connection.execute(statement).first()
        if found is None:
            return None
        source = config_from_json(SourceConfig, found.config)
        is_read = source.kind in (SourceKind.SITE, SourceKind.URL)
        content = PageContent(
            url=found.url,
            title=found.title,
            markdown=found.markdown,
            headings=tuple(SectionHeading(*heading) for heading in found.headings),
            language=found.language,
            site=site_name(found.url, source.name) if is_read else source.name,
            attributes={name: tuple(values) for name, values in found.attributes.items()},
        )
        return value_of(LivePage, found, version_id=found.id, page=content)

    def is_cut_as(self, version_id: UUID, cut_as: str) -> None:
        """The rules would cut this version as it is cut."""
        cut = update(DOCUMENT_VERSIONS).where(DOCUMENT_VERSIONS.c.id == version_id)
        self._connection.execute(cut.values(cut_as=cut_as))

    def add_cut(
        self, live: LivePage, content_hash: str, chunks: Sequence[ChunkDraft], cut_as: str
    ) -> PendingVersion | None:
        """The same page in other chunks, as a pending version: its date, its findings and what an operator made of
        them stay. None when the version is live no longer, or another of its document is pending."""
        self._lock([live.document_id])
        of_document = DOCUMENT_VERSIONS.c.document_id == live.document_id
        states = self._connection.execute(
            select(DOCUMENT_VERSIONS.c.id, DOCUMENT_VERSIONS.c.state).where(
                of_document, DOCUMENT_VERSIONS.c.state.in_((_LIVE, _PENDING))
            )
        )
        if [tuple(row) for row in states] != [(live.version_id, _LIVE)]:
            return None
        version = PendingVersion(new_id(), live.agent_id, live.document_id, VersionState.PENDING)
        changed: dict[str, ColumnElement[Any]] = {
            "id": literal(version.id, Uuid()),
            "state": literal(_PENDING),
            "content_hash": literal(content_hash),
            "cut_as": literal(cut_as),
        }
        columns = DOCUMENT_VERSIONS.columns
        copied = select(*[changed.get(column.name, column) for column in columns])
        self._connection.execute(
            insert(DOCUMENT_VERSIONS).from_select(
                [column.name for column in columns], copied.where(columns.id == live.version_id)
            )
        )
        closed = update(DOCUMENT_VERSIONS).where(DOCUMENT_VERSIONS.c.id == live.version_id).values(review="")
        self._connection.execute(closed)
        self._add_chunks(version, chunks)
        return version

    def pending_chunk_ids(self, agent_id: UUID) -> set[str]:
        """Chunks of versions that are being indexed."""
        pending = select(CHUNKS.c.id).join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.id == CHUNKS.c.version_id)
        of_agent = pending.where(DOCUMENT_VERSIONS.c.agent_id == agent_id, DOCUMENT_VERSIONS.c.state == _PENDING)
        return set(self._connection.scalars(of_agent))

    def version_chunks(self, version_id: UUID) -> list[StoredChunk]:
        """In order of position."""
        statement = STORED_CHUNKS.where(CHUNKS.c.version_id == version_id).order_by(CHUNKS.c.position)
        return [stored_chunk(*row) for row in self._connection.execute(statement)]

    def make_live(self, *versions: PendingVersion) -> list[UUID]:
        """Each version becomes live, the one before it retired, the agent's generation + 1; return the ids of the
        documents' retired versions, whose index rows may now go. Doing it twice changes nothing. A version that a
        newer one or an erasure overtook does not come back: it is among the ids returned."""
        self._lock([version.document_id for version in versions])
        return [retired for version in versions for retired in self._make_live(version)]

    def _make_live(self, version: PendingVersion) -> list[UUID]:
        its = DOCUMENT_VERSIONS.c.id == version.id, DOCUMENT_VERSIONS.c.agent_id == version.agent_id
        columns = select(DOCUMENT_VERSIONS.c.id, DOCUMENT_VERSIONS.c.document_id, DOCUMENT_VERSIONS.c.state)
        stored = self._connection.execute(columns.where(*its)).first()
        if stored is None:
            return [version.id]
        if stored.state == _PENDING:
            PageChangeRecords(self._tx).remember([stored.document_id], version.id)
            self._connection.execute(
                update(DOCUMENT_VERSIONS)
                .where(DOCUMENT_VERSIONS.c.document_id == stored.document_id, DOCUMENT_VERSIONS.c.state == _LIVE)
                .values(state=_RETIRED, review="")
            )
            self._connection.execute(
                update(DOCUMENT_VERSIONS).where(DOCUMENT_VERSIONS.c.id == stored.id).values(state=_LIVE)
            )
            self._connection.execute(
                update(DOCUMENTS).where(DOCUMENTS.c.id == stored.document_id).values(updated_at=self._now())
            )
            self._bump(version.agent_id)
        retired = (
            select(DOCUMENT_VERSIONS.c.id)
            .where(DOCUMENT_VERSIONS.c.document_id == stored.document_id, DOCUMENT_VERSIONS.c.state == _RETIRED)
            .order_by(DOCUMENT_VERSIONS.c.id)
        )
        return list(self._connection.scalars(retired))

    def pending_versions(self) -> list[PendingVersion]:
        """Of all agents: a crash left them."""
        statement = (
            select(
                DOCUMENT_VERSIONS.c.id,
                DOCUMENT_VERSIONS.c.agent_id,
                DOCUMENT_VERSIONS.c.document_id,
                DOCUMENT_VERSIONS.c.state,
            )
            .where(DOCUMENT_VERSIONS.c.state == _PENDING)
            .order_by(DOCUMENT_VERSIONS.c.created_at, DOCUMENT_VERSIONS.c.id)
        )
        return self._values(PendingVersion, statement)

    def retired_versions(self, agent_id: UUID) -> list[UUID]:
        statement = (
            select(DOCUMENT_VERSIONS.c.id)
            .where(DOCUMENT_VERSIONS.c.agent_id == agent_id, DOCUMENT_VERSIONS.c.state == _RETIRED)
            .order_by(DOCUMENT_VERSIONS.c.id)
        )
        return list(self._connection.scalars(statement))

    def purge_versions(self, version_ids: Sequence[UUID]) -> None:
        """Forget retired versions whose index rows are gone, and documents that have no version left. Others are
        left as they are. Citations have copies of what they name."""
        for batch in batches(version_ids):
            retired = and_(DOCUMENT_VERSIONS.c.id.in_(batch), DOCUMENT_VERSIONS.c.state == _RETIRED)
            of_retired = select(DOCUMENT_VERSIONS.c.document_id).where(retired).distinct()
            document_ids = list(self._connection.scalars(of_retired))
            self._lock(document_ids)
            self._connection.execute(delete(DOCUMENT_VERSIONS).where(retired))
            is_used = exists().where(DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id)
            self._connection.execute(delete(DOCUMENTS).where(DOCUMENTS.c.id.in_(document_ids), ~is_used))

    def retire_document(self, agent_id: UUID, document_id: UUID) -> list[UUID]:
        """Nothing of the document may be answered from now on, and the generation rises if anything could; return
        its version ids, [] when the agent has no such document."""
        return self.retire_documents(agent_id, [document_id])

    def retire_documents(self, agent_id: UUID, document_ids: Sequence[UUID]) -> list[UUID]:
        """As `retire_document`, of many. A hundred at a time: whoever writes meanwhile waits."""
        of_documents = and_(DOCUMENT_VERSIONS.c.document_id.in_(document_ids), DOCUMENT_VERSIONS.c.agent_id == agent_id)
        self._lock(document_ids)
        statement = select(DOCUMENT_VERSIONS.c.id, DOCUMENT_VERSIONS.c.state).where(of_documents)
        versions = self._connection.execute(statement.order_by(DOCUMENT_VERSIONS.c.id)).all()
        PageChangeRecords(self._tx).remember(document_ids)
        self._connection.execute(update(DOCUMENT_VERSIONS).where(of_documents).values(state=_RETIRED, review=""))
        if any(state == _LIVE for _, state in versions):
            self._bump(agent_id)
        return [version_id for version_id, _ in versions]

    def _document(self, agent_id: UUID, source_id: UUID, url: str) -> UUID:
        """The page's document, made on first sight and locked until the transaction ends."""
        source = select(SOURCES.c.id).where(SOURCES.c.id == source_id, SOURCES.c.agent_id == agent_id)
        if self._connection.scalar(source) is None:
            raise NotFound("source")
        now = self._now()
        statement = self._insert(DOCUMENTS).values(
            id=new_id(),
            agent_id=agent_id,
            source_id=source_id,
            url=url,
            url_key=url_key(url),
            created_at=now,
            updated_at=now,
        )
        known = statement.on_conflict_do_update(index_elements=["source_id", "url_key"], set_={"updated_at": now})
        document_id: UUID = self._connection.execute(known.returning(DOCUMENTS.c.id)).scalar_one()
        return document_id

    def _add_chunks(self, version: PendingVersion, chunks: Sequence[ChunkDraft]) -> None:
        for batch in batches(chunks):
            rows = [_chunk_values(version, chunk) for chunk in batch]
            self._connection.execute(self._insert(CHUNKS), rows)

    def _lock(self, document_ids: Sequence[UUID]) -> None:
        """Whoever changes versions takes their documents first, so that nobody waits in a circle."""
        statement = select(DOCUMENTS.c.id).where(DOCUMENTS.c.id.in_(document_ids)).order_by(DOCUMENTS.c.id)
        self._connection.execute(statement.with_for_update())

    def _bump(self, agent_id: UUID) -> None:
        AgentRecords(self._tx).bump_generation(agent_id)


def _chunk_values(version: PendingVersion, chunk: ChunkDraft) -> dict[str, object]:
    return {
        "id": chunk_id(version.agent_id, version.id, chunk.position),
        "version_id": version.id,
        "position": chunk.position,
        "text": chunk.text,
        "context": chunk.context,
        "breadcrumb": list(chunk.breadcrumb),
        "anchor": chunk.anchor,
        "content_hash": hash_of(chunk.searchable_text),
    }
