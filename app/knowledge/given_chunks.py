"""Learns pages that were chunked elsewhere, many at a time: the steps of ingest after chunking."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.core.chunk import ChunkDraft, content_hash
from app.kit.wiring import Wired
from app.knowledge.chunk_indexer import ChunkIndexer
from app.knowledge.context_line import ContextLine
from app.knowledge.document import PageContent
from app.knowledge.records.documents import DocumentRecords
from app.store.system_of_record import SystemOfRecord


@dataclass(frozen=True, slots=True)
class CutPage:
    """A page and its chunks in order, each with the headings above it. `page.markdown` may be empty."""

    page: PageContent
    chunks: tuple[tuple[str, tuple[str, ...]], ...]


class GivenChunks(Wired):
    """Stores chunked pages in the record, then in both indexes, and then makes them live. Two pages with the same
    content stay separate."""

    _record: SystemOfRecord
    _indexer: ChunkIndexer
    _context: ContextLine

    async def learn(self, agent_id: UUID, source_id: UUID, pages: Sequence[CutPage]) -> int:
        """Learn the pages; return the number of chunks. Raises EmbedderUnavailable, IndexUnavailable."""
        versions = await self._record.of_agent(agent_id).write(
            lambda tx: [
                DocumentRecords(tx).add_pending(
                    agent_id, source_id, cut.page, content_hash(cut.page.url), self._drafts(cut)
                )
                for cut in pages
            ]
        )
        chunks = await self._record.of_agent(agent_id).read(
            lambda tx: DocumentRecords(tx).version_chunks(*(version.id for version in versions))
        )
        await self._indexer.put(agent_id, chunks)
        await self._record.of_agent(agent_id).write(lambda tx: DocumentRecords(tx).make_live(*versions))
        return len(chunks)

    def _drafts(self, cut: CutPage) -> list[ChunkDraft]:
        title = self._context.title_of(cut.page.title, "\n".join(text for text, _ in cut.chunks))
        return [
            ChunkDraft(position, text, self._context.write(cut.page.site, title, headings), headings)
            for position, (text, headings) in enumerate(cut.chunks)
        ]
