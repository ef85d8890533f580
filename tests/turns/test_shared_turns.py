"""Turns between processes that share a log, and what is left of that when the log is away."""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import anyio
import pytest

from app.agents.agent import LiveAgent
from app.core.errors import NotFound, Unavailable
from app.core.turn import TurnState
from app.core.turn_events import Error, NumberedEvent
from app.search.retrieval import Retrieval, SearchQuery, StageListener
from app.search.retriever import Retriever
from app.turns.remote.remote_turns import SharedTurns
from app.turns.remote.turn_log import EventBatch, MemoryTurnOrders, TurnHead
from tests.contracts.shared_turns_contract import SharedTurnsContract, following, heard, text, two_processes
from tests.doubles.memory_turn_log import MemoryTurnLog
from tests.doubles.scripted_chat_model import UnheardCancel
from tests.doubles.shared_memory import SharedMemory


class AwayableTurnLog(MemoryTurnLog):
    """Away while `is_away`, and for new events alone while `is_full`; `lose` is a store that came back empty."""

    is_away = False
    is_full = False

    async def append(self, batches: Sequence[EventBatch]) -> Collection[UUID]:
        self._check()
        if self.is_full:
            raise Unavailable("full")
        return await super().append(batches)

    async def head(self, turn_id: UUID) -> TurnHead | None:
        self._check()
        return await super().head(turn_id)

    async def read(self, turn_id: UUID, after: int, wait_seconds: float) -> list[NumberedEvent]:
        self._check()
        return await super().read(turn_id, after, wait_seconds)

    async def lose(self) -> None:
        await self.forget(list(self._turns))

    def _check(self) -> None:
        if self.is_away:
            raise Unavailable("away")


class TestSharedTurns(SharedTurnsContract):
    @pytest.fixture
    def shared(self) -> SharedTurns:
        return SharedMemory().turns()


@pytest.fixture
def log() -> AwayableTurnLog:
    return AwayableTurnLog()


@pytest.fixture
def shared(log: AwayableTurnLog) -> SharedTurns:
    return SharedTurns(log, MemoryTurnOrders())


async def test_without_the_log_a_turn_is_answered_and_stored_and_read_where_it_runs(
    tmp_path: Path, shared: SharedTurns, log: AwayableTurnLog
) -> None:
    log.is_away = True
    async with two_processes(tmp_path, shared, "It is ", "3 years [1].") as two:
        request = await two.asked()
        assert text(await heard(await two.here.rejoin(two.house.session, request.turn_id))) == "It is 3 years [1]."
        assert await two.state(request) == (TurnState.DONE, "It is 3 years [1].")


async def test_without_the_log_another_process_gives_the_whole_answer_when_it_is_stored(
    tmp_path: Path, shared: SharedTurns, log: AwayableTurnLog
) -> None:
    go = anyio.Event()
    log.is_away = True
    async with two_processes(tmp_path, shared, "It is ", go, "3 years [1].") as two:
        request = await two.asked()
        with pytest.raises(NotFound):  # its numbers are known to the other process alone
            await two.from_there(request, 3)
        reading = asyncio.create_task(heard(await two.there.ask(two.house.session, request)))
        go.set()
        events = await reading
        assert text(events) == "It is 3 years [1]."
        assert [numbered.event.name for numbered in events] == ["start", "token", "citations", "done"]


async def test_a_log_that_goes_away_in_mid_answer_costs_a_reader_elsewhere_no_word(
    tmp_path: Path, shared: SharedTurns, log: AwayableTurnLog
) -> None:
    go = anyio.Event()
    async with two_processes(tmp_path, shared, "It is ", go, "3 years [1].") as two:
        request = await two.asked()
        reading = await following(await two.from_there(request))
        log.is_away = True
        go.set()
        events = await reading
        assert text(events) == "It is 3 years [1]."
        assert events[-1].event.name == "done"
        numbers = [numbered.number for numbered in events]
        assert numbers == sorted(set(numbers))


async def test_the_records_events_are_not_taken_for_those_of_a_log(
    tmp_path: Path, shared: SharedTurns, log: AwayableTurnLog
) -> None:
    """A reader has the answer from the process that knows it by the record alone, and then comes to the one that
    wrote it, where other numbers stand for the same words."""
    log.is_away = True
    async with two_processes(tmp_path, shared, "It ", "is ", "3 ", "years [1].") as two:
        request = await two.asked()
        whole = await heard(await two.here.rejoin(two.house.session, request.turn_id))
        recorded = await heard(await two.there.ask(two.house.session, request))
        assert text(recorded) == text(whole)
        for seen in recorded[:-1]:
            for process in (two.here, two.there):
                with pytest.raises(NotFound):
                    await process.rejoin(two.house.session, request.turn_id, seen.number)
            again = await two.here.ask(two.house.session, request)
            assert await heard(again, seen.number) == whole


async def test_a_reader_ahead_of_a_log_that_is_full_is_sent_for_the_whole_answer(
    tmp_path: Path, shared: SharedTurns, log: AwayableTurnLog
) -> None:
    """It has read more where the answer is written than ever reached the log."""
    go = anyio.Event()
    async with two_processes(tmp_path, shared, "It ", "is ", go, "3 ", "years ", "[1].") as two:
        request = await two.asked()
        reading = await following(await two.from_there(request))
        logged = (await log.read(request.turn_id, 0, 5))[-1].number
        log.is_full = True
        elsewhere = await two.there.ask(two.house.session, request)
        go.set()
        whole = await heard(await two.here.rejoin(two.house.session, request.turn_id))
        assert text(await reading) == text(whole)
        ahead = logged + 2
        assert ahead < whole[-1].number
        assert await heard(elsewhere, ahead) == []
        with pytest.raises(NotFound):
            await two.from_there(request, ahead)
        assert text(await heard(await two.there.ask(two.house.session, request))) == text(whole)


class DeafRetriever:
    """A search in mid-call to a server, which does not hear that it is cancelled, and goes on."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def retrieve(self, agent: LiveAgent, query: SearchQuery, on_stage: StageListener | None = None) -> Retrieval:
        self.begun.set()
        await UnheardCancel().wait()
        raise AssertionError("nobody sets it")


class CarelessRetriever(DeafRetriever):
    """One whose lost cancellation leads on to the next stage, as that of a cache does whose server was away."""

    async def retrieve(self, agent: LiveAgent, query: SearchQuery, on_stage: StageListener | None = None) -> Retrieval:
        assert on_stage
        self.begun.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await on_stage("searching")
        return Retrieval()


@pytest.mark.parametrize("retriever", [DeafRetriever, CarelessRetriever])
async def test_a_search_that_does_not_hear_that_it_is_cancelled_holds_up_nobody(
    tmp_path: Path, shared: SharedTurns, retriever: type[DeafRetriever]
) -> None:
    """It has begun for a turn that, as is seen then, another process answers."""
    go = anyio.Event()
    async with two_processes(tmp_path, shared, "It is ", go, "3 years [1].") as two:
        request = await two.asked()
        searching = retriever()
        async with two.house.another_process("third", {Retriever: searching}) as third:
            async with asyncio.timeout(10):
                feed = await third.ask(two.house.session, request)
            go.set()
            assert text(await heard(feed)) == "It is 3 years [1]."
            assert searching.begun.is_set()
            assert third.running_count == 0


async def test_a_log_that_came_back_empty_is_filled_again(
    tmp_path: Path, shared: SharedTurns, log: AwayableTurnLog
) -> None:
    go = anyio.Event()
    async with two_processes(tmp_path, shared, "It is ", go, "3 years [1].") as two:
        request = await two.asked()
        assert await log.read(request.turn_id, 0, 5)
        await log.lose()
        go.set()
        whole = await heard(await two.here.rejoin(two.house.session, request.turn_id))
        assert await log.read(request.turn_id, 0, 5)
        assert await heard(await two.from_there(request)) == whole


async def test_a_reader_with_more_events_than_the_turn_came_to_is_told_that_its_end_was_lost(
    tmp_path: Path, shared: SharedTurns
) -> None:
    async with two_processes(tmp_path, shared, "It is ", "3 years [1].") as two:
        request = await two.asked()
        [only] = await heard(await two.here.rejoin(two.house.session, request.turn_id), 99)
        assert isinstance(only.event, Error)
        assert (only.number, only.event.retryable) == (100, True)
