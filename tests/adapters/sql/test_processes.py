"""Which of our processes live."""

from app.adapters.sql.system_of_record import SqlSystemOfRecord
from tests.doubles.fixed_clock import FixedClock


async def test_a_process_lives_while_it_beats(record: SqlSystemOfRecord, clock: FixedClock) -> None:
    async with record.write() as records:
        await records.processes.beat("web-1", "web")
        await records.processes.beat("web-2", "web")
        await records.processes.beat("worker-1", "worker")
    clock.advance(20)
    async with record.write() as records:
        await records.processes.beat("web-2", "web")
        assert await records.processes.living("web", 20) == {"web-1", "web-2"}
        assert await records.processes.living("web", 19) == {"web-2"}
        assert await records.processes.living("worker", 60) == {"worker-1"}


async def test_a_process_that_left_does_not_live(record: SqlSystemOfRecord) -> None:
    async with record.write() as records:
        await records.processes.beat("web-1", "web")
        await records.processes.leave("web-1")
        await records.processes.leave("never came")
        assert await records.processes.living("web", 60) == set()
