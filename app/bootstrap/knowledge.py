"""The side that reads sources and writes indexes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.bootstrap.adapters import configured_chunk_limits, configured_context_writer

if TYPE_CHECKING:
    from app.bootstrap.infrastructure import Infrastructure, Stored
    from app.knowledge.chunk_contexts import ChunkContexts
    from app.knowledge.given_chunks import GivenChunks
    from app.knowledge.ingest import Ingest
    from app.knowledge.reindex import Reindex
    from app.sources.files.file_reader import FileReader
    from app.sources.files.source_files import SourceFiles
    from app.sources.runs.knowledge_jobs import KnowledgeJobs
    from app.sources.runs.page_scope import PageScope


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
    """The side that reads websites and writes indexes."""
    from app.knowledge.chunk_contexts import ChunkContexts
    from app.knowledge.chunk_indexer import ChunkIndexer
    from app.knowledge.chunker import Chunker
    from app.knowledge.context_line import ContextLine
    from app.knowledge.given_chunks import GivenChunks
    from app.knowledge.ingest import Ingest
    from app.knowledge.reconcile import Reconcile
    from app.knowledge.reindex import Reindex
    from app.knowledge.retire import Retire
    from app.providers.code.git_repository import GitRemotes
    from app.providers.embedding.traced_embedder import TracedEmbedder
    from app.sources.cron_calendar import CronCalendar
    from app.sources.deletions.finish_deletions import FinishDeletions
    from app.sources.files.pooled_file_reader import PooledFileReader
    from app.sources.listed.listed_reader import ListedReader
    from app.sources.runs.crawler_site_reader import CrawlerSiteReader
    from app.sources.runs.given_pages import GivenPages
    from app.sources.runs.knowledge_jobs import KnowledgeJobs
    from app.sources.runs.run_execution import RunExecution
    from app.sources.runs.run_scheduler import RunScheduler
    from crawler.crawl.page_visit import FileReading
    from crawler.extract.extraction_pool import ExtractionPool

    settings = base.settings
    indexer = ChunkIndexer(
        base.record, TracedEmbedder(base.models.embedder), base.indexes.vectors, base.indexes.keywords
    )
    retire = Retire(base.record, indexer)
    limits = configured_chunk_limits(settings, base.models.embedder.max_tokens)
    deletions = FinishDeletions(base.record, base.indexes.vectors, base.indexes.keywords, indexer, base.files)
    remotes = GitRemotes(settings.crawl_allow, settings.crawl_user_agent)
    async with (
        AsyncExitStack() as closing,
        ExtractionPool(max_workers=2) as extractor,
        PooledFileReader() as files,
        remotes,
    ):
        writer = configured_context_writer(settings, base.circuits, closing)
        contexts = ChunkContexts(base.record, base.models.tokens, base.models.embedder.max_tokens, writer)
        ingest = Ingest(
            base.record, Chunker(base.models.splitter, base.models.tokens, limits), contexts, indexer, retire
        )
        reconcile = Reconcile(base.record, base.indexes.vectors, base.indexes.keywords, indexer, ingest)
        reader = CrawlerSiteReader(
            extractor,
            base.clock,
            settings.crawl_allow,
            files=FileReading(files, settings.max_file_mib * 1024**2),
            user_agent=settings.crawl_user_agent,
            min_delay_seconds=settings.crawl_delay_seconds,
            browser=settings.render_browser,
        )
        try:
            given = GivenPages(base.record, files, base.files, base.clock)
            sites = ListedReader(reader, reader.fetcher, remotes, extractor, base.clock)
            execution = RunExecution(base.record, sites, given, ingest, retire)
            yield Knowledge(
                jobs=KnowledgeJobs(
                    execution, RunScheduler(base.record, CronCalendar(), base.clock), reconcile, deletions
                ),
                files=files,
                ingest=ingest,
                given_chunks=GivenChunks(base.record, indexer, ContextLine(base.models.tokens, limits.context_tokens)),
                contexts=contexts,
                reindex=Reindex(base.record, contexts, indexer),
            )
        finally:
            await reader.aclose()


def page_scope_on(base: Stored) -> PageScope:
    from app.sources.runs.page_scope import PageScope

    return PageScope(base.settings.crawl_allow)


def source_files_on(base: Infrastructure, files: FileReader) -> SourceFiles:
    from app.sources.files.source_files import SourceFiles

    return SourceFiles(base.record, files, base.files, base.settings.max_file_mib * 1024**2)
