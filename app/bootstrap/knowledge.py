"""Opens the parts that read sources and write the indexes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from app.bootstrap.adapters import configured_chunk_limits
from app.bootstrap.models import configured_context_writer
from app.kit.clock import Clock
from app.kit.wiring import Parts, Wiring
from app.store.system_of_record import SystemOfRecord

if TYPE_CHECKING:
    from app.bootstrap.infrastructure import Infrastructure, Stored
    from app.knowledge.chunk_contexts import ChunkContexts
    from app.knowledge.context_writer import ContextWriter
    from app.knowledge.given_chunks import GivenChunks
    from app.knowledge.ingest import Ingest
    from app.knowledge.reindex import Reindex
    from app.sources.files.file_reader import FileReader, PooledFileReader
    from app.sources.files.source_files import SourceFiles
    from app.sources.runs.knowledge_jobs import KnowledgeJobs
    from app.sources.runs.page_scope import PageScope
    from app.sources.runs.site_reader import SiteReader


@dataclass(frozen=True, slots=True)
class Knowledge:
    jobs: KnowledgeJobs
    files: FileReader
    ingest: Ingest
    given_chunks: GivenChunks
    contexts: ChunkContexts
    reindex: Reindex


@asynccontextmanager
async def open_knowledge(base: Infrastructure) -> AsyncIterator[Knowledge]:
    """Open the parts that read sources and write the indexes."""
    from app.knowledge.chunk_contexts import ChunkContexts
    from app.knowledge.context_writer import ContextWriter
    from app.knowledge.given_chunks import GivenChunks
    from app.knowledge.ingest import Ingest
    from app.knowledge.reindex import Reindex
    from app.sources.files.file_reader import FileReader, PooledFileReader
    from app.sources.runs.knowledge_jobs import KnowledgeJobs
    from app.sources.runs.site_reader import SiteReader

    settings, doubles = base.settings, base.doubles
    async with AsyncExitStack() as closing:
        files = await doubles.or_opened(FileReader, closing, PooledFileReader)
        given = Parts()
        given.bind(FileReader).to(files)
        given.bind(SiteReader).to(
            await doubles.or_opened(SiteReader, closing, lambda: _open_site_reader(base, cast(PooledFileReader, files)))
        )
        given.bind(ContextWriter).to_optional(
            doubles.or_else(ContextWriter, lambda: configured_context_writer(settings, base.circuits, closing))
        )
        parts = knowledge_parts(base, given)
        yield Knowledge(
            jobs=parts.get(KnowledgeJobs),
            files=files,
            ingest=parts.get(Ingest),
            given_chunks=parts.get(GivenChunks),
            contexts=parts.get(ChunkContexts),
            reindex=parts.get(Reindex),
        )


def knowledge_parts(base: Infrastructure, given: Mapping[Any, object]) -> Wiring:
    """The parts that turn sources into chunks. `given` has the readers of sources and the context writer, by the types
    that constructors name."""
    from app.knowledge.chunk_contexts import ChunkContexts
    from app.knowledge.chunk_limits import ChunkLimits
    from app.knowledge.context_line import ContextLine
    from app.knowledge.context_writer import ContextWriter
    from app.providers.embedding.embedder import Embedder, TracedEmbedder
    from app.providers.indexes.search_indexes import KeywordIndex, VectorIndex
    from app.providers.token_counter import TextSplitter, TokenCounter
    from app.sources.files.file_bodies import FileBodies

    models, tokens = base.models, base.models.tokens
    most = models.embedder.max_tokens
    limits = base.doubles.or_else(ChunkLimits, lambda: configured_chunk_limits(base.settings, most))
    parts = Parts()
    parts.bind(SystemOfRecord).to(base.record)
    parts.bind(Clock).to(base.clock)
    parts.bind(Embedder).to(TracedEmbedder(models.embedder))
    parts.bind(VectorIndex).to(base.indexes.vectors)
    parts.bind(KeywordIndex).to(base.indexes.keywords)
    parts.bind(TokenCounter).to(tokens)
    parts.bind(TextSplitter).to(models.splitter)
    parts.bind(FileBodies).to(base.files)
    parts.bind(ChunkLimits).to(limits)
    parts.bind(ContextLine).to(ContextLine(tokens, limits.context_tokens))
    parts.bind(ChunkContexts).to(chunk_contexts(base, cast(ContextWriter | None, given[ContextWriter])))
    return Wiring({**parts, **given})


def chunk_contexts(base: Infrastructure, writer: ContextWriter | None) -> ChunkContexts:
    from app.knowledge.chunk_contexts import ChunkContexts

    return ChunkContexts(base.record, base.models.tokens, base.models.embedder.max_tokens, writer)


@asynccontextmanager
async def _open_site_reader(base: Infrastructure, files: PooledFileReader) -> AsyncIterator[SiteReader]:
    """Reads websites, and services that list their documents themselves."""
    from app.providers.code.git_repository import GitRemotes
    from app.sources.listed.listed_reader import ListedReader
    from app.sources.runs.crawler_site_reader import CrawlerSiteReader
    from crawler.crawl.page_visit import FileReading
    from crawler.extract.extraction_pool import ExtractionPool

    settings = base.settings
    async with (
        ExtractionPool(max_workers=2) as extractor,
        GitRemotes(settings.crawl_allow, settings.crawl_user_agent) as remotes,
    ):
        reader = CrawlerSiteReader(
            extractor,
            base.clock,
            settings.crawl_allow,
            files=FileReading(files, settings.max_file_mib * 1024**2),
            user_agent=settings.crawl_user_agent,
            min_delay_seconds=settings.crawl_delay_seconds,
            browser=settings.render_browser,
        )
        async with aclosing(reader):
            yield ListedReader(reader, reader.fetcher, remotes, extractor, base.clock)


def page_scope_on(base: Stored) -> PageScope:
    from app.sources.runs.page_scope import PageScope

    return PageScope(base.settings.crawl_allow)


@asynccontextmanager
async def open_source_files(base: Infrastructure) -> AsyncIterator[SourceFiles]:
    """Open the verbs of files, with separate processes that parse them."""
    from app.sources.files.file_reader import CHECK_SECONDS, PooledFileReader

    async with PooledFileReader(CHECK_SECONDS) as files:
        yield source_files_on(base, files)


def source_files_on(base: Infrastructure, files: FileReader) -> SourceFiles:
    from app.sources.files.source_files import SourceFiles

    return SourceFiles(base.record, files, base.files, base.settings.max_file_mib * 1024**2)
