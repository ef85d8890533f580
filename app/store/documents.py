"""Documents, their versions and chunks."""

from collections.abc import Sequence
from typing import cast
from uuid import UUID

from sqlalchemy import Table, and_, delete, exists, select, update

from app.domain.chunk import ChunkDraft, StoredChunk, chunk_id
from app.domain.chunk import content_hash as hash_of
from app.domain.document import PageContent, PendingVersion, Review, VersionState
from app.domain.errors import NotFound
from app.domain.page_lint import Finding
from app.store.agents import AgentRecords
from app.store.batches import batches
from app.store.live_documents import STORED_CHUNKS, stored_chunk
from app.store.models import ChunkRow, DocumentRow, DocumentVersionRow, SourceRow
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository
from app.store.url_key import url_key

_LIVE = VersionState.LIVE.value
_PENDING = VersionState.PENDING.value
_RETIRED = VersionState.RETIRED.value
_HELD = VersionState.HELD.value
_CHUNKS = cast(Table, ChunkRow.__table__)


class DocumentRecords(Repository):
    """What ingest changes. What searches see, what readings missed and what is held have a repository each."""

    async def touch(self, document_id: UUID) -> None:
        """The page was read again and is unchanged: its "as of" becomes today."""
        now = self._now()
        await self._session.execute(
            update(DocumentVersionRow)
            .where(DocumentVersionRow.document_id == document_id, DocumentVersionRow.state == _LIVE)
            .values(as_of=now.date())
        )
        await self._session.execute(update(DocumentRow).where(DocumentRow.id == document_id).values(updated_at=now))

    async def add_pending(
        self,
        agent_id: UUID,
        source_id: UUID,
        page: PageContent,
        content_hash: str,
        chunks: Sequence[ChunkDraft],
        findings: Sequence[Finding] = (),
        *,
        is_held: bool = False,
    ) -> PendingVersion:
        """A new pending version with its chunks, or one that is held; older ones of the same document that are pending
        or held are retired. Findings are open until an operator has looked at them."""
        document_id = await self._document(agent_id, source_id, page.url)
        await self._session.execute(
            update(DocumentVersionRow)
            .where(DocumentVersionRow.document_id == document_id, DocumentVersionRow.state.in_((_PENDING, _HELD)))
            .values(state=_RETIRED, review="")
        )
        state = VersionState.HELD if is_held else VersionState.PENDING
        version = PendingVersion(new_id(), agent_id, document_id, state)
        await self._session.execute(
            self._insert(DocumentVersionRow).values(
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
                attributes={name: list(values) for name, values in page.attributes.items()},
                findings=[{"kind": finding.kind.value, "excerpt": finding.excerpt} for finding in findings],
                review=(Review.OPEN if findings else Review.NONE).value,
                created_at=self._now(),
            )
        )
        for batch in batches(chunks):
            rows = [_chunk_values(version, chunk) for chunk in batch]
            await self._session.execute(self._insert(_CHUNKS), rows)
        return version

    async def version_chunks(self, version_id: UUID) -> list[StoredChunk]:
        """In order of position."""
        statement = STORED_CHUNKS.where(ChunkRow.version_id == version_id).order_by(ChunkRow.position)
        return [stored_chunk(*row) for row in await self._session.execute(statement)]

    async def make_live(self, version: PendingVersion) -> list[UUID]:
        """The version becomes live, the one before it retired, the agent's generation + 1; return the ids of the
        document's retired versions, whose index rows may now go. Doing it twice changes nothing. A version that a
        newer one or an erasure overtook does not come back: it is among the ids returned."""
        await self._lock([version.document_id])
        stored = await self._session.get(DocumentVersionRow, version.id)
        if stored is None or stored.agent_id != version.agent_id:
            return [version.id]
        if stored.state == _PENDING:
            await self._session.execute(
                update(DocumentVersionRow)
                .where(DocumentVersionRow.document_id == stored.document_id, DocumentVersionRow.state == _LIVE)
                .values(state=_RETIRED, review="")
            )
            await self._session.execute(
                update(DocumentVersionRow).where(DocumentVersionRow.id == stored.id).values(state=_LIVE)
            )
            await self._session.execute(
                update(DocumentRow).where(DocumentRow.id == stored.document_id).values(updated_at=self._now())
            )
            await self._bump(stored.agent_id)
        retired = (
            select(DocumentVersionRow.id)
            .where(DocumentVersionRow.document_id == stored.document_id, DocumentVersionRow.state == _RETIRED)
            .order_by(DocumentVersionRow.id)
        )
        return list(await self._session.scalars(retired))

    async def pending_versions(self) -> list[PendingVersion]:
        """Of all agents: a crash left them."""
        statement = (
            select(DocumentVersionRow)
            .where(DocumentVersionRow.state == _PENDING)
            .order_by(DocumentVersionRow.created_at, DocumentVersionRow.id)
        )
        return [
            PendingVersion(row.id, row.agent_id, row.document_id, VersionState.PENDING)
            for row in await self._session.scalars(statement)
        ]

    async def retired_versions(self, agent_id: UUID) -> list[UUID]:
        statement = (
            select(DocumentVersionRow.id)
            .where(DocumentVersionRow.agent_id == agent_id, DocumentVersionRow.state == _RETIRED)
            .order_by(DocumentVersionRow.id)
        )
        return list(await self._session.scalars(statement))

    async def purge_versions(self, version_ids: Sequence[UUID]) -> None:
        """Forget retired versions whose index rows are gone, and documents that have no version left. Others are
        left as they are. Citations have copies of what they name."""
        for batch in batches(version_ids):
            retired = and_(DocumentVersionRow.id.in_(batch), DocumentVersionRow.state == _RETIRED)
            of_retired = select(DocumentVersionRow.document_id).where(retired).distinct()
            document_ids = list(await self._session.scalars(of_retired))
            await self._lock(document_ids)
            await self._session.execute(delete(DocumentVersionRow).where(retired))
            is_used = exists().where(DocumentVersionRow.document_id == DocumentRow.id)
            await self._session.execute(delete(DocumentRow).where(DocumentRow.id.in_(document_ids), ~is_used))

    async def retire_document(self, agent_id: UUID, document_id: UUID) -> list[UUID]:
        """Nothing of the document may be answered from now on, and the generation rises if anything could; return
        its version ids, [] when the agent has no such document."""
        return await self.retire_documents(agent_id, [document_id])

    async def retire_documents(self, agent_id: UUID, document_ids: Sequence[UUID]) -> list[UUID]:
        """As `retire_document`, of many. A hundred at a time: whoever writes meanwhile waits."""
        of_documents = and_(DocumentVersionRow.document_id.in_(document_ids), DocumentVersionRow.agent_id == agent_id)
        await self._lock(document_ids)
        statement = select(DocumentVersionRow.id, DocumentVersionRow.state).where(of_documents)
        versions = (await self._session.execute(statement.order_by(DocumentVersionRow.id))).all()
        await self._session.execute(update(DocumentVersionRow).where(of_documents).values(state=_RETIRED, review=""))
        if any(state == _LIVE for _, state in versions):
            await self._bump(agent_id)
        return [version_id for version_id, _ in versions]

    async def _document(self, agent_id: UUID, source_id: UUID, url: str) -> UUID:
        """The page's document, made on first sight and locked until the transaction ends."""
        source = select(SourceRow.id).where(SourceRow.id == source_id, SourceRow.agent_id == agent_id)
        if await self._session.scalar(source) is None:
            raise NotFound("source")
        now = self._now()
        statement = self._insert(DocumentRow).values(
            id=new_id(),
            agent_id=agent_id,
            source_id=source_id,
            url=url,
            url_key=url_key(url),
            created_at=now,
            updated_at=now,
        )
        found = await self._session.execute(
            statement.on_conflict_do_update(
                index_elements=["source_id", "url_key"], set_={"updated_at": now}
            ).returning(DocumentRow.id)
        )
        return found.scalar_one()

    async def _lock(self, document_ids: Sequence[UUID]) -> None:
        """Whoever changes versions takes their documents first, so that nobody waits in a circle."""
        statement = select(DocumentRow.id).where(DocumentRow.id.in_(document_ids)).order_by(DocumentRow.id)
        await self._session.execute(statement.with_for_update())

    async def _bump(self, agent_id: UUID) -> None:
        await AgentRecords(self._tx).bump_generation(agent_id)


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
