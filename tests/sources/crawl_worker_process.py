"""A worker process for tests: reads a site of ten pages, and says on its standard output what it does.

python -m tests.sources.crawl_worker_process FOLDER NAME [URL TO HANG AT]
"""

import sys
from pathlib import Path

import anyio

from app.kit.clock import SystemClock
from app.knowledge.chunk_contexts import ChunkContexts
from app.knowledge.chunk_indexer import ChunkIndexer
from app.knowledge.chunk_limits import ChunkLimits
from app.knowledge.chunker import Chunker
from app.knowledge.document import PageContent
from app.knowledge.ingest import Ingest
from app.knowledge.reconcile import Reconcile
from app.knowledge.retire import Retire
from app.sources.cron_calendar import CronCalendar
from app.sources.deletions.finish_deletions import FinishDeletions
from app.sources.files.file_bodies import FileBodies
from app.sources.runs.given_pages import GivenPages
from app.sources.runs.jobs.dbos_worker import DbosWorker
from app.sources.runs.knowledge_jobs import KnowledgeJobs
from app.sources.runs.run_execution import RunExecution
from app.sources.runs.run_scheduler import RunScheduler
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.doubles.memory_vector_index import MemoryVectorIndex
from tests.doubles.plain_file_reader import PlainFileReader
from tests.doubles.scripted_site_reader import ScriptedSiteReader
from tests.doubles.temporary_record import temporary_record
from tests.doubles.word_splitter import WordSplitter

SITE = {
    f"https://shop.example/{n}": PageContent(f"https://shop.example/{n}", f"Page {n}", f"This is page number {n}.")
    for n in range(10)
}


async def work(folder: Path, name: str, hang_at: str) -> None:
    async def before(url: str) -> None:
        print("reading", url, flush=True)  # noqa: T201
        if url == hang_at:
            await anyio.sleep_forever()

    embedder, vectors, keywords = HashingEmbedder(), MemoryVectorIndex(), MemoryKeywordIndex()
    clock = SystemClock()
    async with temporary_record(folder, clock) as record:
        indexer = ChunkIndexer(record, embedder, vectors, keywords)
        retire = Retire(record, indexer)
        chunker = Chunker(WordSplitter(), embedder, ChunkLimits())
        contexts = ChunkContexts(record, embedder, embedder.max_tokens, None)
        ingest = Ingest(record, chunker, contexts, indexer, retire)
        given = GivenPages(record, PlainFileReader(), FileBodies(), clock)
        jobs = KnowledgeJobs(
            RunExecution(record, ScriptedSiteReader(SITE, before), given, ingest, retire),
            RunScheduler(record, CronCalendar(), clock),
            Reconcile(record, vectors, keywords, indexer, ingest),
            FinishDeletions(record, vectors, keywords, indexer, FileBodies()),
        )
        url = f"sqlite:///{folder / 'jobs.sqlite'}"
        async with DbosWorker(
            url, name, jobs, record, heartbeat_seconds=0.1, dead_after_seconds=1, polling_seconds=0.05
        ):
            await anyio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)  # until the test closes it


if __name__ == "__main__":
    folder, name, *rest = sys.argv[1:]
    anyio.run(work, Path(folder), name, rest[0] if rest else "")
