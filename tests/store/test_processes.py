"""Which of our processes live."""

from sqlalchemy import Engine

from app.store.processes import Liveness, ProcessRecords
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.turn_end_listeners import TURN_END_LISTENERS
from tests.store.sample_rows import silence


async def test_a_process_lives_while_it_beats(record: SystemOfRecord, engine: Engine) -> None:
    with record.writing() as tx:
        ProcessRecords(tx).beat("web-1", "web")
        ProcessRecords(tx).beat("web-2", "web")
        ProcessRecords(tx).beat("worker-1", "worker")
    await silence(engine, "web-1", 25)
    with record.reading() as tx:
        assert ProcessRecords(tx).beaten_within(60, "web").keys() == {"web-1", "web-2"}
        assert ProcessRecords(tx).living("web") == {"web-2"}
        assert ProcessRecords(tx).living("worker") == {"worker-1"}
    with record.writing() as tx:
        ProcessRecords(tx).beat("web-1", "web")
        assert ProcessRecords(tx).living("web") == {"web-1", "web-2"}


async def test_a_beat_tells_how_long_its_process_was_silent(record: SystemOfRecord, engine: Engine) -> None:
    with record.writing() as tx:
        assert ProcessRecords(tx).beat("web-1", "web") == 0
    await silence(engine, "web-1", 27)
    with record.writing() as tx:
        assert 27 <= ProcessRecords(tx).beat("web-1", "web") < 60
        assert ProcessRecords(tx).beat("web-1", "web") < 27


async def test_after_a_silence_of_its_own_a_process_takes_nobody_for_dead_until_its_second_beat(
    record: SystemOfRecord, engine: Engine
) -> None:
    own = Liveness("web-1", "web")
    with record.writing() as tx:
        own.beat(tx)
        assert set(own.living(tx) or ()) == {"web-1"}
    await silence(engine, "web-1", 12)
    with record.writing() as tx:
        assert own.living(tx) is None
        own.beat(tx)
        assert own.living(tx) is None
        own.beat(tx)
        assert set(own.living(tx) or ()) == {"web-1"}


async def test_clocks_of_processes_may_differ(engine: Engine) -> None:
    behind, ahead = FixedClock(), FixedClock()
    ahead.advance(3600)
    for clock, name in ((behind, "behind"), (ahead, "ahead")):
        with SystemOfRecord(engine, clock, TEST_KEYS, TURN_END_LISTENERS).writing() as tx:
            ProcessRecords(tx).beat(name, "web")
            assert name in ProcessRecords(tx).living("web")
    for clock in (behind, ahead):
        with SystemOfRecord(engine, clock, TEST_KEYS, TURN_END_LISTENERS).reading() as tx:
            assert ProcessRecords(tx).living("web") == {"behind", "ahead"}


async def test_a_process_that_left_does_not_live(record: SystemOfRecord) -> None:
    with record.writing() as tx:
        ProcessRecords(tx).beat("web-1", "web")
        ProcessRecords(tx).leave("web-1")
        ProcessRecords(tx).leave("never came")
        assert ProcessRecords(tx).living("web") == set()
