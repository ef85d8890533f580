"""Which of our processes live."""

from sqlalchemy.ext.asyncio import AsyncEngine

from app.store.processes import ProcessRecords
from app.store.system_of_record import SystemOfRecord
from app.store.turn_end_listeners import TURN_END_LISTENERS
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.secret_keys import TEST_KEYS
from tests.store.sample_rows import silence


async def test_a_process_lives_while_it_beats(record: SystemOfRecord, engine: AsyncEngine) -> None:
    async with record.write() as tx:
        await ProcessRecords(tx).beat("web-1", "web")
        await ProcessRecords(tx).beat("web-2", "web")
        await ProcessRecords(tx).beat("worker-1", "worker")
    await silence(engine, "web-1", 25)
    async with record.read() as tx:
        assert await ProcessRecords(tx).living("web", 60) == {"web-1", "web-2"}
        assert await ProcessRecords(tx).living("web", 20) == {"web-2"}
        assert await ProcessRecords(tx).living("worker", 20) == {"worker-1"}
    async with record.write() as tx:
        await ProcessRecords(tx).beat("web-1", "web")
        assert await ProcessRecords(tx).living("web", 20) == {"web-1", "web-2"}


async def test_a_beat_tells_how_long_its_process_was_silent(record: SystemOfRecord, engine: AsyncEngine) -> None:
    async with record.write() as tx:
        assert await ProcessRecords(tx).beat("web-1", "web") == 0
    await silence(engine, "web-1", 27)
    async with record.write() as tx:
        assert 27 <= await ProcessRecords(tx).beat("web-1", "web") < 60
        assert await ProcessRecords(tx).beat("web-1", "web") < 27


async def test_clocks_of_processes_may_differ(engine: AsyncEngine) -> None:
    behind, ahead = FixedClock(), FixedClock()
    ahead.advance(3600)
    for clock, name in ((behind, "behind"), (ahead, "ahead")):
        async with SystemOfRecord(engine, clock, TEST_KEYS, TURN_END_LISTENERS).write() as tx:
            await ProcessRecords(tx).beat(name, "web")
            assert name in await ProcessRecords(tx).living("web", 20)
    for clock in (behind, ahead):
        async with SystemOfRecord(engine, clock, TEST_KEYS, TURN_END_LISTENERS).read() as tx:
            assert await ProcessRecords(tx).living("web", 20) == {"behind", "ahead"}


async def test_a_process_that_left_does_not_live(record: SystemOfRecord) -> None:
    async with record.write() as tx:
        await ProcessRecords(tx).beat("web-1", "web")
        await ProcessRecords(tx).leave("web-1")
        await ProcessRecords(tx).leave("never came")
        assert await ProcessRecords(tx).living("web", 60) == set()
