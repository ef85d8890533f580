"""A big website is read while visitors ask: whoever writes holds the database for a moment only."""

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection, Engine, event

from app.domain.agent import AgentConfig
from app.domain.missed_page import MissedDocument
from app.domain.source import Source, SourceConfig, SourceKind
from app.domain.turn import TurnRequest
from app.knowledge.missed_pages import Sight, settle_missed_pages
from app.knowledge.run_pages import RunPages
from app.ports.site_reader import QueuedPage
from app.store.agents import AgentRecords
from app.store.crawl_pages import CrawlPageRecords
from app.store.crawl_runs import CrawlRunRecords
from app.store.sources import SourceRecords
from app.store.system_of_record import SystemOfRecord
from app.store.tokens import TokenRecords
from app.store.transaction import Transaction
from app.store.turns import TurnRecords
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import visitor_of
from tests.store.sample_rows import a_turn, an_end, an_id

PAGES = 20_000
SITE = "https://docs.example"
LONGEST_WRITE_SECONDS = 0.05  # of the processor: a busy machine does not count
LONGEST_WAIT_SECONDS = 5.0  # of the clock, for a visitor's write; one transaction for all took seven


@contextmanager
def transactions() -> Iterator[list[float]]:
    """The processor's seconds of each writing transaction, without those in which Python looks through all objects of
    the tests for garbage."""
    took: list[float] = []
    began: dict[Connection, float] = {}

    def begin(connection: Connection) -> None:
        began[connection] = time.thread_time()

    def commit(connection: Connection) -> None:
        took.append(time.thread_time() - began.pop(connection))

    event.listen(Engine, "begin", begin)
    event.listen(Engine, "commit", commit)
    gc.collect()
    gc.freeze()
    try:
        yield took
    finally:
        gc.unfreeze()
        event.remove(Engine, "begin", begin)
        event.remove(Engine, "commit", commit)


async def a_source(record: SystemOfRecord) -> tuple[UUID, Source, UUID]:
    """With its workspace, and a run that has begun."""
    async with record.write() as tx:
        workspace_id = await TokenRecords(tx).default_workspace()
        agent = await AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada"))
        await AgentRecords(tx).publish(workspace_id, agent.id)
        source = await SourceRecords(tx).create(
            agent.id, SourceConfig(SourceKind.SITEMAP, "Docs", f"{SITE}/sitemap.xml")
        )
        run = await CrawlRunRecords(tx).start_run(agent.id, source.id)
    return workspace_id, source, run.id


async def ask_on(web: SystemOfRecord, workspace_id: UUID, agent_id: UUID, waits: list[float]) -> None:
    """A visitor asks until cancelled; each write's wait is noted."""
    session = await visitor_of(web, workspace_id, agent_id)
    while True:
        turn = a_turn()

        async def begin(tx: Transaction, turn: TurnRequest = turn) -> None:
            await TurnRecords(tx).begin(session, turn, 1, "web")

        async def finish(tx: Transaction, turn: TurnRequest = turn) -> None:
            await TurnRecords(tx).finish(turn.turn_id, an_end("Yes."))

        began = time.perf_counter()
        await web.write_at_once(begin)
        waits.append(time.perf_counter() - began)
        await web.write_at_once(finish)


async def test_a_sitemap_of_20_000_pages_is_queued_beside_a_visitor(tmp_path: Path) -> None:
    async with temporary_record(tmp_path) as worker, temporary_record(tmp_path) as web:
        workspace_id, source, run_id = await a_source(worker)
        waits: list[float] = []
        asking = asyncio.create_task(ask_on(web, workspace_id, source.agent_id, waits))
        with transactions() as took:
            added = await RunPages(worker, run_id).add([QueuedPage(f"{SITE}/page-{n}", 0) for n in range(PAGES)])
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert added == PAGES
        assert len(took) > PAGES / 500
        assert max(took) <= LONGEST_WRITE_SECONDS
        assert waits
        assert max(waits) <= LONGEST_WAIT_SECONDS


async def test_a_site_that_was_moved_loses_its_pages_in_small_transactions(tmp_path: Path) -> None:
    async with temporary_record(tmp_path) as worker:
        _, source, run_id = await a_source(worker)
        lost = tuple(MissedDocument(an_id(), f"{SITE}/{n}", 3, "It was not found.", None) for n in range(2000))
        with transactions() as took:
            missed = await settle_missed_pages(worker, source, run_id, Sight(missed=lost))
        assert (missed.missed, missed.retired) == (2000, 2000)
        assert max(took) <= LONGEST_WRITE_SECONDS
        async with worker.read() as tx:
            assert await CrawlPageRecords(tx).seen_pages(run_id) == 2000
