"""What becomes of an answer that nobody reads any more."""

import asyncio
from pathlib import Path

import anyio

from app.agents.agent import AgentConfig
from app.agents.agent_choices import OnDisconnect
from app.core.turn import Finish, TurnRequest, TurnState
from app.core.turn_events import NumberedEvent, TurnFeed
from app.turns.remote.turn_log import TurnLog
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.shared_memory import SharedMemory
from tests.turns.outcomes import done, heard, stored, text, until_tokens

AT_ONCE = AgentConfig(name="Lamps", on_disconnect=OnDisconnect.STOP, disconnect_grace_seconds=0)
LATER = AgentConfig(name="Lamps", on_disconnect=OnDisconnect.STOP, disconnect_grace_seconds=300)


async def asked(house: AnsweringHouse) -> tuple[TurnRequest, TurnFeed]:
    request = house.request("How long is the warranty of a lamp?")
    return request, await house.turns.ask(house.session, request)


async def ended(house: AnsweringHouse, request: TurnRequest) -> tuple[str, Finish]:
    """What is said to a reader who comes back, once the turn has ended."""
    feed = await house.turns.rejoin(house.session, request.turn_id)
    async with asyncio.timeout(10):
        events = await heard(feed)
    return text(events), done(events).finish


async def has_ended(request: TurnRequest, turn_log: TurnLog) -> None:
    """Waits for it without reading the turn, which would keep it going."""
    seen: list[NumberedEvent] = []
    async with asyncio.timeout(10):
        while not (seen and seen[-1].is_last):
            seen += await turn_log.read(request.turn_id, len(seen), wait_seconds=10)


async def test_an_answer_that_was_left_is_stopped_after_the_grace_and_kept(tmp_path: Path) -> None:
    never, shared = anyio.Event(), SharedMemory().turns()
    model = ScriptedChatModel(["It is ", never])
    async with answering_house(tmp_path, model=model, config=AT_ONCE, shared=shared) as house:
        request, feed = await asked(house)
        await until_tokens(feed, 1)
        await has_ended(request, shared.log)
        kept = await stored(house, request)
        assert (kept.state, kept.answer, kept.finish) == (TurnState.DONE, "It is ", Finish.STOPPED)
        assert await ended(house, request) == ("It is ", Finish.STOPPED)


async def test_a_reader_who_comes_back_within_the_grace_keeps_it_going(tmp_path: Path) -> None:
    go = anyio.Event()
    model = ScriptedChatModel(["It is ", go, "3 years [1]."])
    async with answering_house(tmp_path, model=model, config=LATER) as house:
        request, feed = await asked(house)
        await until_tokens(feed, 1)
        coming_back = asyncio.create_task(ended(house, request))
        await asyncio.sleep(0)
        go.set()
        assert await coming_back == ("It is 3 years [1].", Finish.COMPLETE)


async def test_one_reader_of_two_may_leave(tmp_path: Path) -> None:
    go = anyio.Event()
    model = ScriptedChatModel(["It is ", go, "3 years [1]."])
    async with answering_house(tmp_path, model=model, config=AT_ONCE) as house:
        request, feed = await asked(house)
        staying = asyncio.create_task(ended(house, request))
        await until_tokens(feed, 1)
        await asyncio.sleep(0.05)
        go.set()
        assert await staying == ("It is 3 years [1].", Finish.COMPLETE)


async def test_readers_of_another_process_count(tmp_path: Path) -> None:
    go, shared = anyio.Event(), SharedMemory().turns()
    model = ScriptedChatModel(["It is ", go, "3 years [1]."])
    async with (
        answering_house(tmp_path, model=model, config=AT_ONCE, shared=shared) as house,
        house.another_process("there") as there,
    ):
        request, feed = await asked(house)
        coming = asyncio.create_task(anext(shared.orders.received()))
        elsewhere = asyncio.create_task(heard(await there.rejoin(house.session, request.turn_id)))
        assert (await coming).kind == "read"
        await until_tokens(feed, 1)
        await asyncio.sleep(0.05)
        go.set()
        assert text(await elsewhere) == "It is 3 years [1]."


async def test_by_default_an_answer_that_was_left_is_written_to_its_end(tmp_path: Path) -> None:
    go = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["It is ", go, "3 years [1]."])) as house:
        request, feed = await asked(house)
        await until_tokens(feed, 1)
        await asyncio.sleep(0.05)
        go.set()
        assert await ended(house, request) == ("It is 3 years [1].", Finish.COMPLETE)
