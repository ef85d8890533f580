"""A turn is one turn, however often and by whomever it is asked for."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import anyio
import pytest

from app.core.errors import NotFound, TurnConflict, TurnInProgress
from app.core.turn import TurnState
from app.core.turn_events import Error, NumberedEvent, Start, Token
from app.turns.live_turn import LiveTurn
from app.turns.remote.turn_log import TurnHead
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.turns.outcomes import heard, stored, text, until_tokens


async def test_the_turn_is_stored_before_start_is_sent(house: AnsweringHouse) -> None:
    request = house.request("How long is the warranty of a lamp?")
    live = await house.turns.ask(house.session, request)
    assert (await stored(house, request)).question == request.message
    first = await anext(live.events())
    assert first.number == 1


async def test_a_visitor_who_leaves_after_the_first_token_loses_nothing(tmp_path: Path) -> None:
    gone = anyio.Event()
    model = ScriptedChatModel(["The warranty ", gone, "is 3 years [1]."])
    async with answering_house(tmp_path, model=model) as house:
        for _ in range(20):
            request = house.request("How long is the warranty of a lamp?")
            live = await house.turns.ask(house.session, request)
            await until_tokens(live, 1)
            gone.set()
            await heard(await house.turns.rejoin(house.session, request.turn_id))
            turn = await stored(house, request)
            assert (turn.state, turn.answer) == (TurnState.DONE, "The warranty is 3 years [1].")


async def test_the_same_turn_asked_again_is_joined_and_asks_the_model_once(tmp_path: Path) -> None:
    go = anyio.Event()
    model = ScriptedChatModel([go, "Yes [1]."])
    async with answering_house(tmp_path, model=model) as house:
        request = house.request("How long is the warranty of a lamp?")
        first = await house.turns.ask(house.session, request)
        second = await house.turns.ask(house.session, request)
        go.set()
        of_first, of_second = [[numbered async for numbered in live.events()] for live in (first, second)]
        assert of_first == of_second
        assert len(model.requests) == 1


async def test_a_finished_turn_is_replayed_from_the_record(house: AnsweringHouse) -> None:
    events = await house.ask("How long is the warranty of a lamp?")
    async with house.another_process("next-process") as restarted:
        for live in (
            await restarted.ask(house.session, house.sent[-1]),
            await restarted.rejoin(house.session, house.sent[-1].turn_id),
        ):
            replayed = await heard(live)
            assert text(replayed) == text(events)
            assert replayed[-1] == events[-1]


async def test_a_reader_in_the_middle_of_a_turn_that_lost_its_numbers_begins_anew(house: AnsweringHouse) -> None:
    events = await house.ask("How long is the warranty of a lamp?")
    async with house.another_process("next-process") as restarted:
        with pytest.raises(NotFound):
            await restarted.rejoin(house.session, house.sent[-1].turn_id, after=3)
        again = await restarted.ask(house.session, house.sent[-1])
        assert text(await heard(again)) == text(events)


async def test_a_reader_resumes_after_the_number_it_saw_last(house: AnsweringHouse) -> None:
    request = house.request("How long is the warranty of a lamp?")
    live = await house.turns.ask(house.session, request)
    whole = [numbered async for numbered in live.events()]
    for seen in range(len(whole) + 1):
        assert [numbered async for numbered in live.events(after=seen)] == whole[seen:]


async def test_a_follower_is_told_by_the_turn_itself_and_hears_nothing_after_it_has_left() -> None:
    live, heard_of, ends = LiveTurn(TurnHead(uuid4(), uuid4(), "asked")), list[int](), list[str]()
    live.publish(Start(live.turn_id, live.conversation_id))

    def hear(numbered: NumberedEvent) -> None:
        heard_of.append(numbered.number)

    with live.followed(0, hear, lambda: ends.append("first")):
        live.publish(Token("3 "))
        assert heard_of == [1, 2]
    live.publish(Token("years"))
    with live.followed(2, hear, lambda: ends.append("second")):
        live.publish(Error("internal", "", retryable=True))
    assert (heard_of, ends) == ([1, 2, 3, 4], ["second"])
    with live.followed(9, hear, lambda: ends.append("has more than there is")):
        assert heard_of[4:] == [10]
    assert ends == ["second", "has more than there is"]


async def test_a_turn_id_with_another_question_is_a_conflict(house: AnsweringHouse) -> None:
    await house.ask("How long is the warranty of a lamp?")
    other = replace(house.sent[-1], message="Something else?")
    with pytest.raises(TurnConflict):
        await house.turns.ask(house.session, other)
    async with house.another_process("next-process") as restarted:
        with pytest.raises(TurnConflict):
            await restarted.ask(house.session, other)


async def test_a_conversation_answers_one_question_at_a_time(tmp_path: Path) -> None:
    go = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel([go, "Yes [1]."])) as house:
        live = await house.turns.ask(house.session, house.request("How long is the warranty?"))
        with pytest.raises(TurnInProgress):
            await house.turns.ask(house.session, house.request("And the shipping?"))
        go.set()
        assert (await heard(live))[-1].name == "done"


async def test_another_visitors_turn_is_absent(house: AnsweringHouse) -> None:
    await house.ask("How long is the warranty of a lamp?")
    stranger = (await house.conversations.open(await house.live_agent(), None)).session
    for turn_id in (house.sent[-1].turn_id, uuid4()):
        with pytest.raises(NotFound):
            await house.turns.rejoin(stranger, turn_id)
        with pytest.raises(NotFound):
            await house.turns.stop(stranger, turn_id)
        with pytest.raises(NotFound):
            await house.turns.feedback(stranger, turn_id, "up", "")
