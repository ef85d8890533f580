"""A worker process for tests: reads a site of ten pages, and says on its standard output what it does.

python -m tests.sources.crawl_worker_process FOLDER NAME [URL TO HANG AT]
"""

import sys
from contextlib import AsyncExitStack
from pathlib import Path

import anyio

from app.bootstrap.infrastructure import Doubles, open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.kit.clock import SystemClock
from app.knowledge.document import PageContent
from app.providers.embedding.embedder import Embedder
from app.providers.indexes.search_indexes import KeywordIndex, VectorIndex
from app.providers.token_counter import TextSplitter
from app.settings import read_settings
from app.sources.runs.jobs.dbos_worker import DbosWorker
from app.sources.runs.site_reader import SiteReader
from app.store.system_of_record import SystemOfRecord
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.doubles.memory_vector_index import MemoryVectorIndex
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

    async with AsyncExitStack() as opened:
        record = await opened.enter_async_context(temporary_record(folder, SystemClock()))
        doubles = Doubles(
            {
                SystemOfRecord: record,
                Embedder: HashingEmbedder(),
                VectorIndex: MemoryVectorIndex(),
                KeywordIndex: MemoryKeywordIndex(),
                TextSplitter: WordSplitter(),
                SiteReader: ScriptedSiteReader(SITE, before),
            }
        )
        base = await opened.enter_async_context(open_infrastructure(read_settings(data=folder), doubles))
        jobs = (await opened.enter_async_context(open_knowledge(base))).jobs
        url = f"sqlite:///{folder / 'jobs.sqlite'}"
        async with DbosWorker(
            url, name, jobs, record, heartbeat_seconds=0.1, dead_after_seconds=1, polling_seconds=0.05
        ):
            await anyio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)  # until the test closes it


if __name__ == "__main__":
    folder, name, *rest = sys.argv[1:]
    anyio.run(work, Path(folder), name, rest[0] if rest else "")
