"""An answer whose end the record does not take at once."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import anyio
import pytest

from app.core.errors import Overloaded, Unavailable
from app.core.turn import AnsweredBy, TurnRequest, TurnState
from app.core.turn_events import Citations, Error
from app.store.transaction import Transaction
from app.turns import turn_end_store
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.turns.outcomes import done, heard, stored, text, until_tokens

QUESTION = "How long is the warranty of a lamp?"
Value = TypeVar("Value")


class Refusing:
    """A record that refuses so many writes, beginning with the next one."""

    def __init__(self, house: AnsweringHouse, patch: pytest.MonkeyPatch, *errors: Exception) -> None:
        self._errors = list(errors)
        self._write = house.record.write
        patch.setattr(house.record, "write", self._write_or_refuse)

    async def _write_or_refuse(self, work: Callable[[Transaction], Value]) -> Value:
        if self._errors:
            raise self._errors.pop(0)
        return await self._write(work)


async def ended(house: AnsweringHouse, request: TurnRequest) -> None:
    async with asyncio.timeout(10):
        while house.turns.running_count:  # noqa: ASYNC110 - the turn's readers have left it before
            await asyncio.sleep(0)
    assert (await stored(house, request)).state is not TurnState.RUNNING


async def test_an_end_that_is_stored_at_the_second_try_is_whole_and_has_its_receipt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["It is ", go, "3 years [1]."])) as house:
        request = house.request(QUESTION)
        live = await house.turns.ask(house.session, request)
        await until_tokens(live, 1)
        Refusing(house, monkeypatch, Overloaded("busy"), Unavailable("away"))
        go.set()
        events = await heard(live)
        turn = await stored(house, request)
        assert (turn.state, turn.answer, turn.answered_by) == (TurnState.DONE, text(events), AnsweredBy.MODEL)
        assert done(events).message_id == turn.message_id
        assert turn.citations
        assert turn.confidence == done(events).confidence > 0


async def test_a_visitor_who_waited_too_long_is_told_and_gets_the_whole_answer_when_it_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_end_store, "PATIENCE_SECONDS", 0)
    go = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["It is ", go, "3 years [1]."])) as house:
        request = house.request(QUESTION)
        live = await house.turns.ask(house.session, request)
        await until_tokens(live, 1)
        Refusing(house, monkeypatch, Unavailable("away"), Unavailable("away"))
        go.set()
        told = await heard(live)
        assert isinstance(told[-1], Error)
        assert (told[-1].code, told[-1].retryable) == ("unavailable", True)
        await ended(house, request)
        turn = await stored(house, request)
        assert (turn.state, turn.error_code, turn.answer) == (TurnState.DONE, None, "It is 3 years [1].")
        again = await heard(await house.turns.ask(house.session, request))
        assert text(again) == text(told) == turn.answer
        assert any(isinstance(event, Citations) for event in again)
        assert done(again).message_id == turn.message_id


async def test_a_stopped_answer_is_stored_as_soon_as_the_record_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["It is ", never])) as house:
        request = house.request(QUESTION)
        live = await house.turns.ask(house.session, request)
        await until_tokens(live, 1)
        Refusing(house, monkeypatch, Unavailable("away"), Unavailable("away"))
        await house.turns.stop(house.session, request.turn_id)
        assert text(await heard(live)) == "It is "
        assert (await stored(house, request)).state is TurnState.DONE


async def test_a_process_that_must_go_tries_once_more_and_does_not_wait_for_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel(["It is ", never])) as house:
        request = house.request(QUESTION)
        live = await house.turns.ask(house.session, request)
        await until_tokens(live, 1)
        Refusing(house, monkeypatch, *[Unavailable("away")] * 99)
        async with asyncio.timeout(10):
            await house.turns.drain(0)
        assert isinstance((await heard(live))[-1], Error)
        assert (await stored(house, request)).state is TurnState.RUNNING
