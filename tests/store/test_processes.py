"""Which of our processes live."""

from sqlalchemy.ext.asyncio import AsyncEngine

from app.store.system_of_record import SqlSystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.secret_keys import TEST_KEYS
from tests.store.sample_rows import silence


async def test_a_process_lives_while_it_beats(record: SqlSystemOfRecord, engine: AsyncEngine) -> None:
    async with record.write() as records:
        await records.processes.beat("web-1", "web")
        await records.processes.beat("web-2", "web")
        await records.processes.beat("worker-1", "worker")
    await silence(engine, "web-1", 25)
    async with record.read() as records:
        assert await records.processes.living("web", 60) == {"web-1", "web-2"}
        assert await records.processes.living("web", 20) == {"web-2"}
        assert await records.processes.living("worker", 20) == {"worker-1"}
    async with record.write() as records:
        await records.processes.beat("web-1", "web")
        assert await records.processes.living("web", 20) == {"web-1", "web-2"}


async def test_a_beat_tells_how_long_its_process_was_silent(record: SqlSystemOfRecord, engine: AsyncEngine) -> None:
    async with record.write() as records:
        assert await records.processes.beat("web-1", "web") == 0
    await silence(engine, "web-1", 27)
    async with record.write() as records:
        assert 27 <= await records.processes.beat("web-1", "web") < 60
        assert await records.processes.beat("web-1", "web") < 27


async def test_clocks_of_processes_may_differ(engine: AsyncEngine) -> None:
    behind, ahead = FixedClock(), FixedClock()
    ahead.advance(3600)
    for clock, name in ((behind, "behind"), (ahead, "ahead")):
        async with SqlSystemOfRecord(engine, clock, TEST_KEYS).write() as records:
            await records.processes.beat(name, "web")
            assert name in await records.processes.living("web", 20)
    for clock in (behind, ahead):
        async with SqlSystemOfRecord(engine, clock, TEST_KEYS).read() as records:
            assert await records.processes.living("web", 20) == {"behind", "ahead"}


async def test_a_process_that_left_does_not_live(record: SqlSystemOfRecord) -> None:
    async with record.write() as records:
        await records.processes.beat("web-1", "web")
        await records.processes.leave("web-1")
        await records.processes.leave("never came")
        assert await records.processes.living("web", 60) == set()
