"""A worker whose record and job queue are on a Postgres that restarts, and one that ends while it is away."""

from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import pytest

from app.core.errors import DatabaseAway
from app.sources.runs.jobs.dbos_job_queue import DbosJobQueue
from app.store.engine import open_engine
from app.store.migrate import migrate
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.postgres_server import PostgresServer, running_postgres
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.turn_end_listeners import TURN_END_LISTENERS
from tests.processes.recording_handlers import RecordingHandlers, working


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture
async def record(postgres: PostgresServer) -> AsyncIterator[SystemOfRecord]:
    engine = open_engine(postgres.url)
    migrate(engine)
    yield SystemOfRecord(engine, FixedClock(), TEST_KEYS, TURN_END_LISTENERS)
    engine.dispose()


async def test_a_worker_works_on_after_a_restart(postgres: PostgresServer, record: SystemOfRecord) -> None:
    handlers, before, after = RecordingHandlers(), uuid4(), uuid4()
    async with DbosJobQueue(postgres.url) as queue, working(postgres.url, record, handlers, dead_after_seconds=60):
        await queue.crawl(uuid4(), before)
        await handlers.until_called(1)
        with postgres.failing("fast"), pytest.raises(DatabaseAway):
            await queue.crawl(uuid4(), uuid4())
        await queue.crawl(uuid4(), after)
        await handlers.until_called(2)
    assert handlers.calls == [("crawl", before), ("crawl", after)]


async def test_a_worker_ends_in_good_order_while_the_record_is_away_and_its_job_is_taken_up(
    postgres: PostgresServer, record: SystemOfRecord
) -> None:
    first, second, run_id = RecordingHandlers(), RecordingHandlers(), uuid4()
    first.is_hanging = True
    async with DbosJobQueue(postgres.url) as queue:
        async with working(postgres.url, record, first, "worker-1"):
            await queue.crawl(uuid4(), run_id)
            await first.until_called(1)
            postgres.stop("fast")
        postgres.start()
        async with working(postgres.url, record, second, "worker-2"):
            await second.until_called(1)
    assert second.calls == [("crawl", run_id)]
