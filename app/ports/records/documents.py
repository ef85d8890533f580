"""Port: documents, their versions and chunks, and the embedding cache."""

from collections.abc import Mapping, Sequence
from typing import Protocol
from uuid import UUID

from app.domain.chunk import Chunk, ChunkDraft, StoredChunk
from app.domain.document import Document, PageContent, PageTexts, PendingVersion, QuarantinedPage, Review
from app.domain.list_page import ListPage, PageRequest
from app.domain.missed_page import MissedDocument
from app.domain.page_lint import Finding
from app.domain.page_review import PageReview
from app.domain.search_filter import SearchFilter


class DocumentRecords(Protocol):
    async def live_hash(self, source_id: UUID, url: str) -> str | None:
        """Content hash of the URL's live version, or None."""
        ...

    async def same_content(self, agent_id: UUID, content_hash: str, except_url: str) -> UUID | None:
        """Another document of the agent whose live version has this content, or None."""
        ...

    async def same_title(self, source_id: UUID, title: str, except_url: str, limit: int) -> list[PageTexts]:
        """Up to `limit` documents of the source whose live version has this title, oldest first, but for the one at
        `except_url`."""
        ...

    async def url_of(self, document_id: UUID) -> str | None: ...

    async def document_at(self, source_id: UUID, url: str) -> UUID | None: ...

    async def touch(self, document_id: UUID) -> None:
        """The page was read again and is unchanged: its "as of" becomes today."""
        ...

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
        ...

    async def held_hash(self, source_id: UUID, url: str) -> str | None:
        """Content hash of the URL's held version, or None."""
        ...

    async def drop_held(self, document_id: UUID) -> None:
        """The page says again what its live version says: what was held is retired."""
        ...

    async def quarantined(self, agent_id: UUID, page: PageRequest) -> ListPage[QuarantinedPage]:
        """Pages with open findings, latest first."""
        ...

    async def quarantined_count(self, agent_id: UUID) -> int:
        """How many `quarantined` lists."""
        ...

    async def page_reviews(self, workspace_id: UUID, document_id: UUID) -> list[PageReview]:
        """The document's versions with open findings, latest first: at most one that is held and one that is live."""
        ...

    async def review(self, workspace_id: UUID, document_id: UUID, verdict: Review) -> UUID:
        """Close the document's open findings. RELEASED makes a held version pending; DISMISSED leaves it held, and a
        live one live. Return the agent's id. Raises NotFound where none are open."""
        ...

    async def version_chunks(self, version_id: UUID) -> list[StoredChunk]:
        """In order of position."""
        ...

    async def make_live(self, version: PendingVersion) -> list[UUID]:
        """The version becomes live, the one before it retired, the agent's generation + 1; return the ids of the
        document's retired versions, whose index rows may now go. Doing it twice changes nothing. A version that a
        newer one or an erasure overtook does not come back: it is among the ids returned."""
        ...

    async def pending_versions(self) -> list[PendingVersion]:
        """Of all agents: a crash left them."""
        ...

    async def retired_versions(self, agent_id: UUID) -> list[UUID]: ...

    async def purge_versions(self, version_ids: Sequence[UUID]) -> None:
        """Forget retired versions whose index rows are gone, and documents that have no version left. Others are
        left as they are. Citations have copies of what they name."""
        ...

    async def retire_document(self, agent_id: UUID, document_id: UUID) -> list[UUID]:
        """Nothing of the document may be answered from now on, and the generation rises if anything could; return
        its version ids, [] when the agent has no such document."""
        ...

    async def retire_documents(self, agent_id: UUID, document_ids: Sequence[UUID]) -> list[UUID]:
        """As `retire_document`, of many. A hundred at a time: whoever writes meanwhile waits."""
        ...

    async def found_again(self, run_id: UUID) -> list[UUID]:
        """Documents that earlier readings missed, and that the run's pages led to."""
        ...

    async def missed_documents(self, run_id: UUID) -> list[MissedDocument]:
        """The live documents of the run's source that the run did not find. They tell something only of a run that
        went through the whole source."""
        ...

    async def set_missed_readings(self, readings: Mapping[UUID, int]) -> None:
        """How many readings in a row have missed each document; 0 for one that was found."""
        ...

    async def live_chunks(self, agent_id: UUID, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Those of the named chunks that the agent may answer from: live versions only."""
        ...

    async def versions_passing(self, agent_id: UUID, filters: Sequence[SearchFilter]) -> set[UUID]:
        """The agent's live document versions that pass every filter."""
        ...

    async def around(self, agent_id: UUID, chunk_ids: Sequence[str], reach: int) -> dict[str, list[Chunk]]:
        """For each named live chunk: itself and up to `reach` chunks of its page on either side, in order."""
        ...

    async def page_chunks(self, agent_id: UUID, urls: Sequence[str]) -> list[Chunk]:
        """The live chunks, in order, of the oldest document that stands at one of the URLs; [] without one."""
        ...

    async def document_chunks(self, workspace_id: UUID, document_id: UUID) -> list[Chunk]:
        """The live chunks of one document, in order; [] when no version of it is live. Raises NotFound."""
        ...

    async def first_chunks(self, agent_id: UUID, limit: int) -> list[Chunk]:
        """Live chunks, page by page in their order, the oldest document first: a site's own first page, usually."""
        ...

    async def agent_chunks(self, agent_id: UUID) -> list[StoredChunk]:
        """Every live chunk of the agent: what its indexes must hold."""
        ...

    async def agent_ids(self) -> set[UUID]:
        """Agents that have a live chunk or a retired version that was not purged: those whose indexes must be looked
        after."""
        ...

    async def live_chunk_ids(self, agent_id: UUID) -> set[str]: ...

    async def page(self, agent_id: UUID, page: PageRequest, source_id: UUID | None = None) -> ListPage[Document]:
        """Live documents, oldest first."""
        ...

    async def counts(self, agent_id: UUID) -> tuple[int, int]:
        """Live documents, live chunks."""
        ...

    async def languages(self, agent_id: UUID) -> dict[str | None, int]:
        """How many live documents are in each language (BCP 47 primary subtag; None where it is not known)."""
        ...

    async def cached_embeddings(self, model_id: str, content_hashes: Sequence[str]) -> dict[str, list[float]]: ...

    async def cache_embeddings(self, model_id: str, vectors: Mapping[str, Sequence[float]]) -> None:
        """By content hash; known ones are left as they are."""
        ...
