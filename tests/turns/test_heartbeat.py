"""Which turns are cut: those of processes that are dead, and of nobody else."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from sqlalchemy import Engine

from app.core.errors import DatabaseAway, Overloaded
from app.core.turn import TurnState
from app.core.turn_events import INTERRUPTED
from app.kit.tasks import Supervisor
from app.store.engine import open_engine
from app.store.processes import ProcessFiles
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction
from app.turns.heartbeat import Heartbeat
from tests.doubles.answering_house import answering_house
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.temporary_record import temporary_database
from tests.doubles.turn_end_listeners import TURN_END_LISTENERS
from tests.store.sample_rows import silence
from tests.turns.outcomes import done, heard, stored, text, until_tokens

QUESTION = "How long is the warranty of a lamp?"
OWNER = "test-process"  # as the house names it


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    opened = open_engine(await temporary_database(tmp_path))
    yield opened
    opened.dispose()


async def test_a_process_whose_clock_is_ahead_cuts_nobody_who_lives(tmp_path: Path, engine: Engine) -> None:
    go = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["It is ", go, "3 years [1]."])) as house:
        await Heartbeat(house.record, OWNER).beat()
        request = house.request(QUESTION)
        live = await house.turns.ask(house.session, request)
        await until_tokens(live, 1)
        ahead = FixedClock(house.clock.now())
        ahead.advance(25)
        assert await Heartbeat(SystemOfRecord(engine, ahead, TEST_KEYS, TURN_END_LISTENERS), "ahead").beat() == 0
        go.set()
        events = await heard(live)
        assert done(events).message_id == (await stored(house, request)).message_id


async def test_a_turn_whose_process_was_killed_after_its_first_words_ends_as_interrupted_with_them(
    tmp_path: Path, engine: Engine
) -> None:
    never = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["It is 3 years", " and ", never])) as house:
        await Heartbeat(house.record, OWNER).beat()
        request = house.request(QUESTION)
        await until_tokens(await house.turns.ask(house.session, request), 2)
        async with asyncio.timeout(1):  # of two seconds, in which nothing else is stored
            while not (await stored(house, request)).answer:  # noqa: ASYNC110 - the record calls nobody
                await asyncio.sleep(0.01)
        await silence(engine, OWNER, 27)
        async with house.another_process("other") as turns:
            assert await Heartbeat(house.record, "other").beat() == 1
            events = await heard(await turns.rejoin(house.session, request.turn_id))
        assert text(events).startswith("It is 3 years")
        assert events[-1] == INTERRUPTED


async def test_an_owner_that_was_stopped_for_a_while_stores_the_whole_of_its_turn(
    tmp_path: Path, engine: Engine
) -> None:
    go = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["It is ", go, "3 years [1]."])) as house:
        await Heartbeat(house.record, OWNER).beat()
        request = house.request(QUESTION)
        live = await house.turns.ask(house.session, request)
        await until_tokens(live, 1)
        await silence(engine, OWNER, 27)
        assert await Heartbeat(house.record, "other").beat() == 1
        assert (await stored(house, request)).state is TurnState.CUT
        go.set()
        events = await heard(live)
        turn = await stored(house, request)
        assert (turn.state, turn.answer) == (TurnState.DONE, text(events))
        assert done(events).message_id == turn.message_id
        assert turn.citations


async def test_a_process_that_was_stopped_itself_judges_nobody_at_its_first_beat(
    tmp_path: Path, engine: Engine
) -> None:
    never = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["It is ", never])) as house:
        other = Heartbeat(house.record, "other")
        await Heartbeat(house.record, OWNER).beat()
        await other.beat()
        live = await house.turns.ask(house.session, house.request(QUESTION))
        await until_tokens(live, 1)
        for process in (OWNER, "other"):  # the machine that both run on
            await silence(engine, process, 27)
        assert await other.beat() == 0
        assert await other.beat() == 1


async def test_whose_lock_is_free_is_dead_before_it_was_silent(tmp_path: Path) -> None:
    never, files = anyio.Event(), ProcessFiles(tmp_path / "processes")
    async with answering_house(tmp_path, model=ScriptedChatModel(["It is ", never])) as house:
        with files.held(OWNER):
            await Heartbeat(house.record, OWNER, files=files).beat()
            live = await house.turns.ask(house.session, house.request(QUESTION))
            await until_tokens(live, 1)
            assert await Heartbeat(house.record, "other", files=files).beat() == 0
            copy = (tmp_path / "processes" / OWNER).read_bytes()
        (tmp_path / "processes" / OWNER).write_bytes(copy)  # as a kill leaves it
        assert await Heartbeat(house.record, "other", files=files).beat() == 1
        assert list((tmp_path / "processes").iterdir()) == []


async def test_a_turn_that_was_begun_without_a_word_of_it_is_cut_where_nobody_asks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with answering_house(tmp_path) as house:
        write = house.record.write
        beating = Heartbeat(house.record, OWNER, lost=house.turns.lost)
        await beating.beat()

        async def write_and_lose(work: Callable[[Transaction], Any]) -> Any:
            await write(work)
            raise DatabaseAway("gone before it could say so")

        request = house.request(QUESTION)
        with monkeypatch.context() as away:
            away.setattr(house.record, "write", write_and_lose)
            with pytest.raises(DatabaseAway):
                await house.turns.ask(house.session, request)
        assert (await stored(house, request)).state is TurnState.RUNNING

        assert await beating.beat() == 1
        assert (await stored(house, request)).state is TurnState.CUT
        done(await house.ask(QUESTION))
        assert await beating.beat() == 0


async def test_an_error_that_nobody_foresaw_does_not_end_the_beating(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    beats_on = asyncio.Event()
    async with answering_house(tmp_path) as house:
        write = house.record.write
        failures = [RuntimeError("a bug"), RuntimeError("another")]

        async def failing(work: Callable[[Transaction], Any]) -> Any:
            if failures:
                raise failures.pop()
            beats_on.set()
            return await write(work)

        async with Heartbeat(house.record, OWNER, beat_seconds=0.001, supervisor=Supervisor(counted.append)):
            monkeypatch.setattr(house.record, "write", failing)
            async with asyncio.timeout(5):
                await beats_on.wait()
    assert counted == ["heartbeat", "heartbeat"]


async def test_a_start_and_an_end_outlast_a_record_that_others_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with answering_house(tmp_path) as house:
        write = house.record.write
        held: list[str] = []

        async def busy(work: Callable[[Transaction], Any]) -> Any:
            if held:
                raise Overloaded(held.pop())
            return await write(work)

        monkeypatch.setattr(house.record, "write", busy)
        held += ["busy at the start", "busy again"]
        async with Heartbeat(house.record, OWNER, beat_seconds=0.05):
            assert held == []
            held.append("busy at the end")
        assert held == []


async def test_a_record_that_others_hold_for_good_ends_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with answering_house(tmp_path) as house:

        async def busy(_: Callable[[Transaction], Any]) -> Any:
            raise Overloaded("The database is busy.")

        with monkeypatch.context() as patch:
            patch.setattr(house.record, "write", busy)
            with pytest.raises(Overloaded):
                await Heartbeat(house.record, OWNER, beat_seconds=0.001).__aenter__()
