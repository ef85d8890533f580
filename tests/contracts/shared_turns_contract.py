"""Two web processes over one record, as visitors meet them: whichever one they reach.

Each test plays the second process by a second `Turns` in the same event loop.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import pytest

from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.errors import NotFound, TurnConflict, TurnInProgress
from app.core.turn import Finish, TurnRequest, TurnState
from app.core.turn_events import Done, Error, NumberedEvent, Token, TurnFeed
from app.turns.heartbeat import Heartbeat
from app.turns.remote.remote_turns import SharedTurns
from app.turns.turns import Turns
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel, Step

QUESTION = "How long is the warranty of a lamp?"


@dataclass
class TwoProcesses:
    """`here` answers what is asked of it; `there` is the other process."""

    house: AnsweringHouse
    model: ScriptedChatModel
    there: Turns
    shared: SharedTurns

    @property
    def here(self) -> Turns:
        return self.house.turns

    async def asked(self) -> TurnRequest:
        """A question that `here` has begun to answer."""
        request = self.house.request(QUESTION)
        await self.here.ask(self.house.session, request)
        return request

    async def from_there(self, request: TurnRequest, after: int = 0) -> TurnFeed:
        return await self.there.rejoin(self.house.session, request.turn_id, after)

    async def state(self, request: TurnRequest) -> tuple[TurnState, str]:
        stored = await self.house.record.read(lambda tx: StoredTurnRecords(tx).find(request.turn_id))
        assert stored is not None
        return stored.state, stored.answer


@asynccontextmanager
async def two_processes(folder: Path, shared: SharedTurns, *steps: Step) -> AsyncIterator[TwoProcesses]:
    model = ScriptedChatModel(list(steps))
    async with (
        answering_house(folder, model=model, shared=shared) as house,
        house.another_process("there") as there,
    ):
        yield TwoProcesses(house, model, there, shared)
        await house.turns.drain(0)


async def heard(feed: TurnFeed, after: int = 0) -> list[NumberedEvent]:
    async with asyncio.timeout(300):
        return [numbered async for numbered in feed.events(after)]


async def following(feed: TurnFeed) -> asyncio.Task[list[NumberedEvent]]:
    """A reader that has heard the first words, and follows live until the end."""
    has_words = asyncio.Event()

    async def read() -> list[NumberedEvent]:
        events = []
        async for numbered in feed.events():
            events.append(numbered)
            if isinstance(numbered.event, Token):
                has_words.set()
        return events

    async with asyncio.timeout(300):
        reading = asyncio.create_task(read())
        await has_words.wait()
    return reading


def text(events: list[NumberedEvent]) -> str:
    return "".join(numbered.event.token for numbered in events if isinstance(numbered.event, Token))


def mirrors() -> list[asyncio.Task[Any]]:
    """What follows turns of another process now."""
    return [task for task in asyncio.all_tasks() if task.get_name().startswith("mirror")]


class SharedTurnsContract:
    """A subclass gives the fixture `shared`."""

    async def test_a_reader_of_another_process_gets_the_same_events_with_the_same_numbers(
        self, tmp_path: Path, shared: SharedTurns
    ) -> None:
        go = anyio.Event()
        async with two_processes(tmp_path, shared, "The ", "warranty ", go, "is ", "3 years [1].") as two:
            request = await two.asked()
            reading = await following(await two.from_there(request))
            at_home = await following(await two.here.ask(two.house.session, request))
            go.set()
            assert await reading == await at_home
            assert text(await reading) == "The warranty is 3 years [1]."
            for seen in range(len(await reading)):
                later = await two.from_there(request, seen)
                assert await heard(later, seen) == (await reading)[seen:]
            assert len(two.model.requests) == 1

    async def test_the_same_question_again_in_another_process_joins_the_turn(
        self, tmp_path: Path, shared: SharedTurns
    ) -> None:
        go = anyio.Event()
        async with two_processes(tmp_path, shared, "It is ", go, "3 years [1].") as two:
            request = await two.asked()
            feeds = await asyncio.gather(*(two.there.ask(two.house.session, request) for _ in range(3)))
            reading = [asyncio.create_task(heard(feed)) for feed in feeds]
            go.set()
            first, *others = await asyncio.gather(*reading)
            assert all(other == first for other in others)
            assert not any(feed.is_answered_here for feed in feeds)
            assert text(first) == "It is 3 years [1]."
            assert len(two.model.requests) == 1

    async def test_a_turn_is_one_question_in_every_process(self, tmp_path: Path, shared: SharedTurns) -> None:
        never = anyio.Event()
        async with two_processes(tmp_path, shared, "It is ", never) as two:
            request = await two.asked()
            with pytest.raises(TurnConflict):
                await two.there.ask(two.house.session, replace(request, message="Something else?"))
            with pytest.raises(TurnInProgress):
                await two.there.ask(two.house.session, two.house.request("And the shipping?"))
            stranger = (await two.house.conversations.open(await two.house.live_agent(), None)).session
            with pytest.raises(NotFound):
                await two.there.rejoin(stranger, request.turn_id)
            with pytest.raises(NotFound):
                await two.there.stop(stranger, request.turn_id)
            with pytest.raises(NotFound):
                await two.there.stop(two.house.session, uuid4())

    async def test_a_stop_reaches_the_process_that_answers(self, tmp_path: Path, shared: SharedTurns) -> None:
        never = anyio.Event()
        async with two_processes(tmp_path, shared, "So far ", never) as two:
            request = await two.asked()
            events: list[NumberedEvent] = []
            async for numbered in (await two.from_there(request)).events():
                events.append(numbered)
                if isinstance(numbered.event, Token):
                    await two.there.stop(two.house.session, request.turn_id)
            last = events[-1].event
            assert isinstance(last, Done)
            assert last.finish is Finish.STOPPED
            assert await two.state(request) == (TurnState.DONE, text(events))
            await two.there.stop(two.house.session, request.turn_id)

    async def test_an_erased_visitor_is_forgotten_by_every_process(self, tmp_path: Path, shared: SharedTurns) -> None:
        never = anyio.Event()
        async with two_processes(tmp_path, shared, "So far ", never) as two:
            request = await two.asked()
            reading = await following(await two.from_there(request))
            async with asyncio.timeout(300):
                await two.there.end([two.house.session.conversation_id])
            assert (await reading)[-1].is_last
            assert two.here.running_count == 0
            with two.house.record.writing() as tx:
                VisitorRecords(tx).erase(two.house.workspace_id, two.house.session.visitor_id)
            for process in (two.here, two.there):
                with pytest.raises(NotFound):
                    await process.rejoin(two.house.session, request.turn_id)
            assert await two.shared.log.head(request.turn_id) is None

    async def test_readers_are_told_when_the_process_that_answers_is_killed(
        self, tmp_path: Path, shared: SharedTurns
    ) -> None:
        never = anyio.Event()
        async with two_processes(tmp_path, shared, "So far ", never) as two:
            request = await two.asked()
            reading = await following(await two.from_there(request))
            # "test-process" never beats: to the living one its turns are a dead process's.
            assert await Heartbeat(two.house.record, "there").beat() == 1
            events = await reading
            assert text(events) == "So far "
            last = events[-1].event
            assert isinstance(last, Error)
            assert last.retryable
            assert (await two.state(request))[0] is TurnState.CUT

    async def test_a_reader_ahead_of_the_log_hears_the_end_when_the_owner_is_killed(
        self, tmp_path: Path, shared: SharedTurns
    ) -> None:
        """The dead process had sent an event that it had not yet logged."""
        never = anyio.Event()
        async with two_processes(tmp_path, shared, "So far ", never) as two:
            request = await two.asked()
            reading = await following(await two.from_there(request))
            await Heartbeat(two.house.record, "there").beat()
            logged = (await reading)[-2].number
            for ahead in range(logged, logged + 4):
                [last] = await heard(await two.from_there(request, ahead), ahead)
                assert isinstance(last.event, Error)
                assert last.number > ahead

    async def test_a_finished_turn_keeps_its_numbers_in_a_process_that_never_saw_it(
        self, tmp_path: Path, shared: SharedTurns
    ) -> None:
        async with two_processes(tmp_path, shared, "It is ", "3 years [1].") as two:
            request = await two.asked()
            whole = await heard(await two.here.rejoin(two.house.session, request.turn_id))
            while await two.shared.log.read(request.turn_id, len(whole) - 1, 1) == []:
                pass
            for feed in (await two.from_there(request, 3), await two.there.ask(two.house.session, request)):
                assert await heard(feed, 3) == whole[3:]
                assert await heard(feed, len(whole)) == []

    async def test_a_reader_that_leaves_ends_no_turn_and_stops_following(
        self, tmp_path: Path, shared: SharedTurns
    ) -> None:
        go = anyio.Event()
        async with two_processes(tmp_path, shared, "It is ", go, "3 years [1].") as two:
            request = await two.asked()
            feed = await two.from_there(request)
            leaving = asyncio.create_task(heard(feed))
            while not mirrors():  # noqa: ASYNC110 - tasks that begin or end call nobody
                await asyncio.sleep(0)
            leaving.cancel()
            await asyncio.gather(leaving, return_exceptions=True)
            while mirrors():  # noqa: ASYNC110 - as above
                await asyncio.sleep(0)
            go.set()
            assert text(await heard(feed)) == "It is 3 years [1]."
