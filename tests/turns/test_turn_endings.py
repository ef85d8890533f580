"""Turns that end before their answer does, and the text that is kept of them."""

import asyncio
from pathlib import Path

import anyio
import pytest

from app.core.errors import DatabaseAway, ModelInterrupted, Overloaded
from app.core.turn import Finish, TurnState
from app.core.turn_events import Error, Token, TurnEvent
from app.search.context_expansion import ContextExpandingRetriever
from app.search.retrieval import Retrieval
from tests.doubles.answering_house import answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel, UnheardCancel
from tests.turns.outcomes import done, heard, open_gaps, stored, text, until_tokens


async def test_the_text_so_far_is_kept_after_64_tokens_at_the_latest(tmp_path: Path) -> None:
    never = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["so "] * 64 + [never])) as house:
        request = house.request("How long is the warranty of a lamp?")
        live = await house.turns.ask(house.session, request)
        said = await until_tokens(live, 64)
        while (turn := await stored(house, request)).answer == "":
            assert turn.state is TurnState.RUNNING
        assert turn.answer == text(said)


async def test_a_stopped_answer_keeps_its_text(tmp_path: Path) -> None:
    never = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["The warranty is ", never, "endless."])) as house:
        request = house.request("How long is the warranty of a lamp?")
        live = await house.turns.ask(house.session, request)
        events: list[TurnEvent] = []
        async for numbered in live.events():
            events.append(numbered.event)
            if isinstance(numbered.event, Token):
                await house.turns.stop(house.session, request.turn_id)
        assert done(events).finish is Finish.STOPPED
        assert (await stored(house, request)).answer == text(events)


@pytest.mark.parametrize("how", ["stopped", "shut down"])
async def test_a_model_that_does_not_hear_that_it_is_cancelled_is_told_again(tmp_path: Path, how: str) -> None:
    deaf = UnheardCancel()
    async with answering_house(tmp_path, model=ScriptedChatModel(["The warranty is ", deaf, "endless."])) as house:
        request = house.request("How long is the warranty of a lamp?")
        live = await house.turns.ask(house.session, request)
        async with asyncio.timeout(10):
            await until_tokens(live, 1)
            if how == "stopped":
                await house.turns.stop(house.session, request.turn_id)
            else:
                await house.turns.drain(0)
            events = await heard(live)
        assert text(events) == "The warranty is "
        assert (await stored(house, request)).answer == "The warranty is "


async def test_a_model_that_breaks_off_ends_in_an_error_and_its_text_is_kept(tmp_path: Path) -> None:
    model = ScriptedChatModel(["The warranty is ", ModelInterrupted("torn")])
    async with answering_house(tmp_path, model=model) as house:
        events = await house.ask("How long is the warranty of a lamp?")
        assert events[-1] == Error("model_interrupted", events[-1].message, retryable=True)  # type: ignore[union-attr]
        turn = await stored(house)
        assert (turn.state, turn.answer, turn.error_code) == (TurnState.FAILED, text(events), "model_interrupted")
        assert await open_gaps(house) == []


async def test_a_bug_ends_in_an_error_and_frees_the_conversation(tmp_path: Path) -> None:
    model = ScriptedChatModel([ZeroDivisionError("bug")], ["Yes [1]."])
    async with answering_house(tmp_path, model=model) as house:
        events = await house.ask("How long is the warranty of a lamp?")
        assert isinstance(events[-1], Error)
        assert events[-1].code == "internal"
        assert "bug" not in events[-1].message
        assert (await stored(house)).state is TurnState.FAILED
        assert done(await house.ask("How long is the warranty of a lamp?")).finish is Finish.COMPLETE


@pytest.mark.parametrize(
    ("outage", "code"), [(DatabaseAway("gone"), "unavailable"), (Overloaded("every connection"), "overloaded")]
)
async def test_an_outage_in_mid_search_is_said_to_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outage: Exception, code: str
) -> None:
    async with answering_house(tmp_path, model=ScriptedChatModel(["Yes [1]."])) as house:

        async def away(*_: object) -> Retrieval:
            raise outage

        with monkeypatch.context() as during:
            during.setattr(ContextExpandingRetriever, "retrieve", away)
            events = await house.ask("How long is the warranty of a lamp?")
        assert isinstance(events[-1], Error)
        assert (events[-1].code, events[-1].retryable) == (code, True)
        turn = await stored(house)
        assert (turn.state, turn.error_code) == (TurnState.FAILED, code)
        assert done(await house.ask("How long is the warranty of a lamp?")).finish is Finish.COMPLETE


async def test_shutting_down_ends_running_turns_with_an_error_and_stores_them(tmp_path: Path) -> None:
    never = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["So far ", never])) as house:
        request = house.request("How long is the warranty of a lamp?")
        live = await house.turns.ask(house.session, request)
        reading = asyncio.create_task(heard(live))
        await house.turns.drain(0.05)
        events = await reading
        assert isinstance(events[-1], Error)
        assert (events[-1].code, events[-1].retryable) == ("shutting_down", True)
        assert (await stored(house, request)).state is TurnState.FAILED
        with pytest.raises(Overloaded):
            await house.turns.ask(house.session, house.request("Hello?"))
