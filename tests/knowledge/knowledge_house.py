"""The knowledge room with a real database and indexes in memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.bootstrap.infrastructure import Doubles, Indexes, Infrastructure, open_infrastructure
from app.bootstrap.knowledge import knowledge_parts
from app.kit.clock import Clock
from app.kit.wiring import Wiring
from app.knowledge.chunk_contexts import ChunkContexts
from app.knowledge.chunk_indexer import ChunkIndexer
from app.knowledge.chunk_limits import ChunkLimits
from app.knowledge.chunker import Chunker
from app.knowledge.context_writer import ContextWriter
from app.knowledge.document import PageContent
from app.knowledge.ingest import Ingest, Retire
from app.knowledge.reconcile import Reconcile
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.indexed_texts import IndexedTextRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.knowledge.reindex import Reindex
from app.knowledge.repeated_texts import RepeatedTexts
from app.providers.embedding.embedder import Embedder
from app.providers.indexes.search_indexes import KeywordIndex, VectorIndex
from app.providers.token_counter import TextSplitter
from app.sources import kinds
from app.sources.deletions.deletions import FinishDeletions
from app.sources.files.file_bodies import FileBodies
from app.sources.files.file_reader import FileReader
from app.sources.records import SourceRecords
from app.sources.runs.site_reader import GivenPages
from app.sources.source import Source, SourceConfig
from app.store.system_of_record import SystemOfRecord
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.doubles.memory_vector_index import MemoryVectorIndex
from tests.doubles.plain_file_reader import PlainFileReader
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.settings_in import settings_in
from tests.doubles.temporary_record import temporary_record
from tests.doubles.word_splitter import WordSplitter


@dataclass
class KnowledgeHouse:
    """`limits` make chunks of 20 words, so that short pages have several."""

    base: Infrastructure
    record: SystemOfRecord
    clock: FixedClock
    agent_id: UUID
    workspace_id: UUID
    source: Source
    vectors: MemoryVectorIndex = field(default_factory=MemoryVectorIndex)
    keywords: MemoryKeywordIndex = field(default_factory=MemoryKeywordIndex)
    embedder: HashingEmbedder = field(default_factory=HashingEmbedder)
    model: ScriptedChatModel | None = None
    files: FileBodies = field(default_factory=FileBodies)

    @property
    def parts(self) -> Wiring:
        """Made anew each time, of what the house has then."""
        models = replace(self.base.models, embedder=self.embedder, tokens=self.embedder)
        indexes = Indexes(self.vectors, self.vectors, self.keywords)
        base = replace(self.base, record=self.record, models=models, indexes=indexes, files=self.files)
        writer = ContextWriter(self.model, "scripted") if self.model else None
        return knowledge_parts(base, {FileReader: PlainFileReader(), ContextWriter: writer})

    @property
    def chunker(self) -> Chunker:
        return self.parts.get(Chunker)

    @property
    def indexer(self) -> ChunkIndexer:
        return self.parts.get(ChunkIndexer)

    @property
    def contexts(self) -> ChunkContexts:
        return self.parts.get(ChunkContexts)

    @property
    def retire(self) -> Retire:
        return self.parts.get(Retire)

    @property
    def deletions(self) -> FinishDeletions:
        return self.parts.get(FinishDeletions)

    @property
    def given(self) -> GivenPages:
        return self.parts.get(GivenPages)

    @property
    def ingest(self) -> Ingest:
        return self.parts.get(Ingest)

    @property
    def repeated(self) -> RepeatedTexts:
        return self.parts.get(RepeatedTexts)

    @property
    def reconcile(self) -> Reconcile:
        return self.parts.get(Reconcile)

    @property
    def reindex(self) -> Reindex:
        return self.parts.get(Reindex)

    async def add_source(self, config: SourceConfig) -> Source:
        return await self.record.write(lambda tx: SourceRecords(tx).create(self.agent_id, config))

    async def live_ids(self) -> set[str]:
        return await self.record.read(lambda tx: set(IndexedTextRecords(tx).standing(self.agent_id).live))

    async def live_texts(self) -> list[str]:
        with self.record.reading() as tx:
            chunks = LiveDocumentRecords(tx).live_chunks(self.agent_id, list(await self.live_ids()))
        return [chunk.text for chunk in sorted(chunks.values(), key=lambda chunk: (chunk.url, chunk.position))]

    async def stale_versions(self) -> int:
        """Pending and retired ones: what a finished ingest leaves none of."""
        with self.record.reading() as tx:
            pending = DocumentRecords(tx).pending_versions()
            return len(pending) + len(DocumentRecords(tx).retired_versions(self.agent_id))

    async def assert_in_step(self) -> None:
        """Every store holds the live chunks, and nothing else."""
        live = await self.live_ids()
        assert await self.vectors.chunk_ids(self.agent_id) == live
        assert await self.keywords.chunk_ids(self.agent_id) == live
        assert await self.stale_versions() == 0


@asynccontextmanager
async def knowledge_house(folder: Path) -> AsyncIterator[KnowledgeHouse]:
    clock = FixedClock()
    async with temporary_record(folder, clock) as record:
        with record.writing() as tx:
            workspace_id = TokenRecords(tx).default_workspace()
            agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="Help"))
            source = SourceRecords(tx).create(agent.id, SourceConfig(kinds.SITE, "Shop", url="https://shop.example/"))
        doubles = Doubles(
            {
                SystemOfRecord: record,
                Clock: clock,
                Embedder: HashingEmbedder(),
                VectorIndex: MemoryVectorIndex(),
                KeywordIndex: MemoryKeywordIndex(),
                TextSplitter: WordSplitter(),
                ChunkLimits: ChunkLimits(20, 10),
            }
        )
        async with open_infrastructure(settings_in(folder), doubles) as base:
            yield KnowledgeHouse(base, record, clock, agent.id, workspace_id, source)


def page(path: str = "/help", text: str = "", title: str = "Help") -> PageContent:
    return PageContent(f"https://shop.example{path}", title, text or words(45), site="shop.example")


def words(count: int, topic: str = "word") -> str:
    return " ".join(f"{topic}{number}" for number in range(count))
