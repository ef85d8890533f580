"""A big website is read while visitors ask: whoever writes holds the database for a moment only."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection, Engine, event

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.conversations.records.turns import TurnRecords
from app.core.turn import TurnRequest
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.run_pages import RunPages, Sight, settle_missed_pages
from app.sources.runs.run_progress import MissedDocument
from app.sources.runs.site_reader import QueuedPage
from app.sources.source import CrawlRun, Source, SourceConfig
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import visitor_of
from tests.store.sample_rows import a_turn, an_end, an_id

PAGES = 20_000
SITE = "https://docs.example"
MOST_ROWS_A_WRITE = 400  # while which visitors' own writes wait: a page and what is kept with it, 200 times


@contextmanager
def transactions() -> Iterator[list[int]]:
    """The rows that each writing transaction changed, in the order of their ends."""
    changed: list[int] = []
    before: dict[Connection, int] = {}

    def begin(connection: Connection) -> None:
        before[connection] = _changes(connection)

    def commit(connection: Connection) -> None:
        changed.append(_changes(connection) - before.pop(connection))

    event.listen(Engine, "begin", begin)
    event.listen(Engine, "commit", commit)
    try:
        yield changed
    finally:
        event.remove(Engine, "begin", begin)
        event.remove(Engine, "commit", commit)


def _changes(connection: Connection) -> int:
    """Rows that this connection to SQLite has changed since it was opened."""
    driver = connection.connection.driver_connection
    assert driver is not None
    return int(driver.total_changes)


async def a_source(record: SystemOfRecord) -> tuple[UUID, Source, CrawlRun]:
    """With its workspace, and a run that has begun."""
    with record.writing() as tx:
        workspace_id = TokenRecords(tx).default_workspace()
        agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="Ada"))
        AgentRecords(tx).publish(workspace_id, agent.id)
        source = SourceRecords(tx).create(agent.id, SourceConfig(kinds.SITEMAP, "Docs", f"{SITE}/sitemap.xml"))
        run = CrawlRunRecords(tx).start_run(agent.id, source.id)
    return workspace_id, source, run


async def ask_on(web: SystemOfRecord, workspace_id: UUID, agent_id: UUID) -> None:
    """A visitor asks until cancelled."""
    session = await visitor_of(web, workspace_id, agent_id)
    while True:
        turn = a_turn()

        def begin(tx: Transaction, turn: TurnRequest = turn) -> None:
            TurnRecords(tx).begin(session, turn, 1, "web")

        def finish(tx: Transaction, turn: TurnRequest = turn) -> None:
            TurnRecords(tx).finish(turn.turn_id, an_end("Yes."))

        await web.write(begin)
        await web.write(finish)


async def test_a_sitemap_of_20_000_pages_is_queued_in_small_transactions_beside_a_visitor(tmp_path: Path) -> None:
    async with temporary_record(tmp_path) as worker, temporary_record(tmp_path) as web:
        workspace_id, source, run = await a_source(worker)
        asking = asyncio.create_task(ask_on(web, workspace_id, source.agent_id))
        with transactions() as changed:
            added = await RunPages(worker, run).add([QueuedPage(f"{SITE}/page-{n}", 0) for n in range(PAGES)])
        asking.cancel()
        ended = await asyncio.gather(asking, return_exceptions=True)
        assert added == PAGES
        assert sum(changed) >= PAGES
        assert max(changed) <= MOST_ROWS_A_WRITE
        assert isinstance(ended[0], asyncio.CancelledError)


async def test_a_site_that_was_moved_loses_its_pages_in_small_transactions(tmp_path: Path) -> None:
    async with temporary_record(tmp_path) as worker:
        _, source, run = await a_source(worker)
        lost = tuple(MissedDocument(an_id(), f"{SITE}/{n}", 3, "It was not found.", None) for n in range(2000))
        with transactions() as changed:
            missed = await settle_missed_pages(worker, source, run.id, Sight(missed=lost))
        assert (missed.missed, missed.retired) == (2000, 2000)
        assert sum(changed) >= 2000
        assert max(changed) <= MOST_ROWS_A_WRITE
        with worker.reading() as tx:
            assert CrawlPageRecords(tx).seen_pages(run.id) == 2000
