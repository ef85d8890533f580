"""Documents, their versions and chunks, and the earlier texts of changed pages, until the answers that rest on them
have been checked."""

from collections.abc import Sequence
from dataclasses import astuple
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Insert, and_, bindparam, delete, exists, insert, literal, select, update
from sqlalchemy.sql.dml import ReturningInsert

from app.agents.records import AgentRecords
from app.core.chunk import ChunkDraft, StoredChunk, chunk_id
from app.core.chunk import content_hash as hash_of
from app.core.errors import NotFound
from app.core.page_url import site_name
from app.knowledge.document import LivePage, PageContent, PendingVersion, Review, SectionHeading, VersionState
from app.knowledge.injection_scan import Finding
from app.knowledge.records.live_documents import STORED_CHUNKS, stored_chunk
from app.sources.kinds import kind_named
from app.store.schema import url_key
from app.store.tables.knowledge import CHUNKS, DOCUMENT_VERSIONS, DOCUMENTS, PAGE_CHANGES, SOURCES
from app.store.transaction import Repository, among, batches, insert_of, new_id, value_of

_LIVE_TEXTS = (
    select(
        DOCUMENTS.c.id,
        DOCUMENTS.c.agent_id,
        DOCUMENTS.c.source_id,
        DOCUMENTS.c.url,
        DOCUMENT_VERSIONS.c.title,
        DOCUMENT_VERSIONS.c.markdown,
        bindparam("now", type_=PAGE_CHANGES.c.changed_at.type),
    )
    .join(
        DOCUMENT_VERSIONS,
        and_(DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id, DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value),
    )
    .where(DOCUMENTS.c.id.in_(among("documents")), DOCUMENT_VERSIONS.c.markdown != "")
)


class PageChangeRecords(Repository):
    """Earlier texts of changed pages. Pages that came as passages have no full text, so they have none."""

    def remember(self, document_ids: Sequence[UUID], next_versions: Sequence[UUID] = ()) -> None:
        """Store the text of the documents' live versions before `next_versions` (at most one per document) replace
        them. Stores nothing if the text is the same; if a change is waiting already, its older text stays."""
        values = {"documents": document_ids, "now": self._now()}
        if next_versions:
            values |= {"next_versions": next_versions}
        self._connection.execute(_remembered(self._dialect, has_next=bool(next_versions)), values)


@cache
def _remembered(dialect: str, *, has_next: bool) -> Insert:
    texts = _LIVE_TEXTS
    if has_next:
        coming = DOCUMENT_VERSIONS.alias()
        is_next = and_(coming.c.document_id == DOCUMENTS.c.id, coming.c.id.in_(among("next_versions")))
        texts = texts.where(DOCUMENT_VERSIONS.c.markdown != select(coming.c.markdown).where(is_next).scalar_subquery())
    kept = insert_of(dialect, PAGE_CHANGES).from_select([column.name for column in PAGE_CHANGES.columns], texts)
    return kept.on_conflict_do_update(index_elements=["document_id"], set_={"changed_at": kept.excluded.changed_at})


_LIVE = VersionState.LIVE.value
_PENDING = VersionState.PENDING.value
_RETIRED = VersionState.RETIRED.value
_HELD = VersionState.HELD.value

# Statements that learning a page needs, built once.
_OWN_SOURCE = select(SOURCES.c.id).where(
    SOURCES.c.id == bindparam("own_id"), SOURCES.c.agent_id == bindparam("own_agent")
)
_LOCK = select(DOCUMENTS.c.id).where(DOCUMENTS.c.id.in_(among("documents"))).order_by(DOCUMENTS.c.id).with_for_update()
_UPDATED = update(DOCUMENTS).where(DOCUMENTS.c.id.in_(among("documents"))).values(updated_at=bindparam("now"))
_STANDING = select(*(DOCUMENT_VERSIONS.c[name] for name in ("id", "agent_id", "document_id", "state"))).where(
    DOCUMENT_VERSIONS.c.id.in_(among("versions"))
)
_MAKE_LIVE = update(DOCUMENT_VERSIONS).where(DOCUMENT_VERSIONS.c.id.in_(among("versions"))).values(state=_LIVE)
_RETIRE = (
    update(DOCUMENT_VERSIONS)
    .where(DOCUMENT_VERSIONS.c.document_id.in_(among("documents")), DOCUMENT_VERSIONS.c.state.in_(among("states")))
    .values(state=_RETIRED, review="")
)
_RETIRED_OF = (
    select(DOCUMENT_VERSIONS.c.id)
    .where(DOCUMENT_VERSIONS.c.document_id.in_(among("documents")), DOCUMENT_VERSIONS.c.state == _RETIRED)
    .order_by(DOCUMENT_VERSIONS.c.id)
)
_VERSION_CHUNKS = STORED_CHUNKS.where(CHUNKS.c.version_id.in_(among("versions"))).order_by(
    CHUNKS.c.version_id, CHUNKS.c.position
)


class DocumentRecords(Repository):
    """Writes versions and their chunks for ingest. Live versions, missed readings and held versions have their own
    repositories."""

    def touch(self, document_id: UUID) -> None:
        """The page was read again unchanged: set its "as of" date to today."""
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
        left_out: Sequence[str] = (),
    ) -> PendingVersion:
        """Add a new version with its chunks, pending or held; older pending or held versions of the document are
        retired. Findings are open until an operator has looked at them. Without `cut_as`, the page is never chunked
        again."""
        document_id, is_new = self._document(agent_id, source_id, page.url)
        if not is_new:
            self._connection.execute(_RETIRE, {"documents": [document_id], "states": [_PENDING, _HELD]})
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
            left_out=list(left_out),
            attributes={name: list(values) for name, values in page.attributes.items()},
            findings=[{"kind": finding.kind.value, "excerpt": finding.excerpt} for finding in findings],
            review=(Review.OPEN if findings else Review.NONE).value,
            created_at=self._now(),
        )
        self._add_chunks(version, chunks)
        return version

    def cut_otherwise(self, cut_as: str) -> LivePage | None:
        """A live page chunked by other rules than `cut_as`, and without a pending version; None if there is none."""
        pending = DOCUMENT_VERSIONS.alias()
        is_pending = exists().where(
            pending.c.document_id == DOCUMENT_VERSIONS.c.document_id, pending.c.state == _PENDING
        )
        return self._live_page(and_(DOCUMENT_VERSIONS.c.cut_as != cut_as, ~is_pending))

    def live_page(self, version_id: UUID) -> LivePage | None:
        """The version's page; None unless it is live."""
        return self._live_page(DOCUMENT_VERSIONS.c.id == version_id)

    def _live_page(self, condition: ColumnElement[bool]) -> LivePage | None:
        statement = (
            select(DOCUMENT_VERSIONS, DOCUMENTS.c.url, SOURCES.c.config)
            .join(DOCUMENTS, DOCUMENTS.c.id == DOCUMENT_VERSIONS.c.document_id)
            .join(SOURCES, SOURCES.c.id == DOCUMENTS.c.source_id)
            .where(DOCUMENT_VERSIONS.c.state == _LIVE, condition)
            .limit(1)
        )
        found = self._connection.execute(statement).first()
        if found is None:
            return None
        name, is_given = found.config["name"], kind_named(found.config["kind"]).is_given
        content = PageContent(
            url=found.url,
            title=found.title,
            markdown=found.markdown,
            headings=tuple(SectionHeading(*heading) for heading in found.headings),
            language=found.language,
            site=name if is_given else site_name(found.url, name),
            attributes={name: tuple(values) for name, values in found.attributes.items()},
        )
        return value_of(LivePage, found, version_id=found.id, page=content, left_out=tuple(found.left_out))

    def is_cut_as(self, version_id: UUID, cut_as: str) -> None:
        """Note that the rules `cut_as` would split this version as it is."""
        cut = update(DOCUMENT_VERSIONS).where(DOCUMENT_VERSIONS.c.id == version_id)
        self._connection.execute(cut.values(cut_as=cut_as))

    def add_cut(
        self, live: LivePage, content_hash: str, chunks: Sequence[ChunkDraft], cut_as: str, left_out: Sequence[str]
    ) -> PendingVersion | None:
        """Add the page again with other chunks, as a pending version that keeps its date, its findings and an
        operator's verdict. None if `live` is no longer live, or another version of its document is pending."""
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
            "id": literal(version.id, DOCUMENT_VERSIONS.c.id.type),
            "state": literal(_PENDING),
            "content_hash": literal(content_hash),
            "cut_as": literal(cut_as),
            "left_out": literal(list(left_out), DOCUMENT_VERSIONS.c.left_out.type),
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
        """The ids of chunks whose versions are being indexed."""
        pending = select(CHUNKS.c.id).join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.id == CHUNKS.c.version_id)
        of_agent = pending.where(DOCUMENT_VERSIONS.c.agent_id == agent_id, DOCUMENT_VERSIONS.c.state == _PENDING)
        return set(self._connection.scalars(of_agent))

    def version_chunks(self, *version_ids: UUID) -> list[StoredChunk]:
        """The chunks of the versions, version by version, in order of position."""
        return [stored_chunk(*row) for row in self._connection.execute(_VERSION_CHUNKS, {"versions": version_ids})]

    def make_live(self, *versions: PendingVersion) -> list[UUID]:
        """Make each version live, retire the one before it, and raise the agent's generation by 1; return the ids of
        the documents' retired versions, whose index rows may be removed now. Repeating this changes nothing. A version
        that was overtaken by a newer one or an erasure does not come back: it is among the ids returned."""
        self._lock([version.document_id for version in versions])
        stored = self._connection.execute(_STANDING, {"versions": [version.id for version in versions]}).all()
        own = {(version.id, version.agent_id) for version in versions}
        found = {row.id: row for row in stored if (row.id, row.agent_id) in own}
        coming = [row for row in found.values() if row.state == _PENDING]
        if coming:
            version_ids, document_ids = [row.id for row in coming], [row.document_id for row in coming]
            PageChangeRecords(self._tx).remember(document_ids, version_ids)
            self._connection.execute(_RETIRE, {"documents": document_ids, "states": [_LIVE]})
            self._connection.execute(_MAKE_LIVE, {"versions": version_ids})
            self._connection.execute(_UPDATED, {"documents": document_ids, "now": self._now()})
            for agent_id in sorted({row.agent_id for row in coming}):
                self._bump(agent_id)
        of_found = {"documents": [row.document_id for row in found.values()]}
        retired = self._connection.scalars(_RETIRED_OF, of_found)
        return [*retired, *(version.id for version in versions if version.id not in found)]

    def pending_versions(self) -> list[PendingVersion]:
        """Versions of all agents that a crash left pending."""
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
        """Delete retired versions whose index rows are gone, and documents without versions. Other versions stay.
        Citations have copies of what they name."""
        for batch in batches(version_ids):
            retired = and_(DOCUMENT_VERSIONS.c.id.in_(batch), DOCUMENT_VERSIONS.c.state == _RETIRED)
            of_retired = select(DOCUMENT_VERSIONS.c.document_id).where(retired).distinct()
            document_ids = list(self._connection.scalars(of_retired))
            self._lock(document_ids)
            self._connection.execute(delete(DOCUMENT_VERSIONS).where(retired))
            is_used = exists().where(DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id)
            self._connection.execute(delete(DOCUMENTS).where(DOCUMENTS.c.id.in_(document_ids), ~is_used))

    def retire_document(self, agent_id: UUID, document_id: UUID) -> list[UUID]:
        """Retire the document: from now on, no answer uses it; the generation rises if anything was live. Returns its
        version ids, [] if the agent has no such document."""
        return self.retire_documents(agent_id, [document_id])

    def retire_documents(self, agent_id: UUID, document_ids: Sequence[UUID]) -> list[UUID]:
        """Like `retire_document`, for many. Call it with a hundred at a time: other writers wait meanwhile."""
        of_documents = and_(DOCUMENT_VERSIONS.c.document_id.in_(document_ids), DOCUMENT_VERSIONS.c.agent_id == agent_id)
        self._lock(document_ids)
        statement = select(DOCUMENT_VERSIONS.c.id, DOCUMENT_VERSIONS.c.state).where(of_documents)
        versions = self._connection.execute(statement.order_by(DOCUMENT_VERSIONS.c.id)).all()
        PageChangeRecords(self._tx).remember(document_ids)
        self._connection.execute(update(DOCUMENT_VERSIONS).where(of_documents).values(state=_RETIRED, review=""))
        if any(state == _LIVE for _, state in versions):
            self._bump(agent_id)
        return [version_id for version_id, _ in versions]

    def _document(self, agent_id: UUID, source_id: UUID, url: str) -> tuple[UUID, bool]:
        """The page's document, and whether this created it. It is locked until the transaction ends."""
        if self._connection.scalar(_OWN_SOURCE, {"own_id": source_id, "own_agent": agent_id}) is None:
            raise NotFound("source")
        now = self._now()
        page = {
            "id": new_id(),
            "agent_id": agent_id,
            "source_id": source_id,
            "url": url,
            "url_key": url_key(url),
            "created_at": now,
            "updated_at": now,
        }
        document_id: UUID = self._connection.execute(_seen(self._dialect), page).scalar_one()
        return document_id, document_id == page["id"]

    def _add_chunks(self, version: PendingVersion, chunks: Sequence[ChunkDraft]) -> None:
        for batch in batches(chunks):
            rows = [_chunk_values(version, chunk) for chunk in batch]
            self._connection.execute(self._insert(CHUNKS), rows)

    def _lock(self, document_ids: Sequence[UUID]) -> None:
        """Every writer locks documents before versions, so that there are no deadlocks."""
        self._connection.execute(_LOCK, {"documents": document_ids})

    def _bump(self, agent_id: UUID) -> None:
        AgentRecords(self._tx).bump_generation(agent_id)


@cache
def _seen(dialect: str) -> ReturningInsert[UUID]:
    seen = insert_of(dialect, DOCUMENTS)
    known = seen.on_conflict_do_update(
        index_elements=["source_id", "url_key"], set_={"updated_at": seen.excluded.updated_at}
    )
    return known.returning(DOCUMENTS.c.id)


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
        "links": [astuple(link) for link in chunk.links],
    }
