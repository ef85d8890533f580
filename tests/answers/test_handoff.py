"""A visitor who asks for a person is handed over; while one talks, or while it is paused, the agent is silent."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.answers.person_talk import as_transcript
from app.conversations.live_chat import LiveState
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import AgentPaused, HandedToPerson
from app.core.list_page import PageRequest
from app.core.text.canned_messages import canned_messages
from app.core.turn import AnsweredBy, Channel, Exchange, Finish, GapState, TurnEnd, TurnState
from app.core.turn_events import Done, Start, Token
from app.gaps.records.gaps import GapRecords
from app.kit.cache import MemoryCache
from app.live_chat.live_chats import LiveChats, LiveSigns
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.turns.outcomes import done, text

WISH = "Hello, can I talk to a human?"
QUESTION = "How long is the warranty of a lamp?"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[AnsweringHouse]:
    """Of an agent with live chat, where nothing can be searched and no model answers."""
    config = AgentConfig(name="Lamp helper", live_chat=True)
    async with answering_house(tmp_path, model=ScriptedChatModel(()), config=config) as opened:
        opened.vectors.is_down = opened.keywords.is_down = True
        yield opened


def desk(house: AnsweringHouse) -> tuple[LiveChats, Actor]:
    chats = LiveChats(house.record, house.clock, house.answering.history, LiveSigns(MemoryCache()))
    return chats, Actor(house.workspace_id, "ann@example.com", frozenset((READ, WRITE)))


async def state(house: AnsweringHouse) -> LiveState:
    chats, _ = desk(house)
    return (await chats.poll(house.session, 0)).chat.state


async def test_outside_of_the_opening_hours_nobody_is_called(tmp_path: Path) -> None:
    config = AgentConfig(
        name="Lamp helper", live_chat=True, opening_hours=("mon-fri 14:00-18:00",), time_zone="Europe/Berlin"
    )
    async with answering_house(tmp_path, model=ScriptedChatModel(()), config=config) as house:  # at 13:00 there
        events = await house.ask(WISH)
        assert text(events) == (
            "Nobody is here to chat right now. Somebody will be from 2026-01-01, 14:00 (Europe/Berlin) on."
        )
        assert done(events).answered_by is AnsweredBy.FALLBACK
        assert await state(house) is LiveState.NONE
        with house.record.reading() as tx:
            assert GapRecords(tx).page(house.agent_id, GapState.OPEN, PageRequest()).items == []
        house.clock.advance(3600)
        assert done(await house.ask(WISH)).answered_by is AnsweredBy.HANDOFF
        assert await state(house) is LiveState.WAITING


async def test_our_own_words_answer_and_the_visitor_waits(house: AnsweringHouse) -> None:
    events = await house.ask(WISH)
    assert [type(event) for event in events] == [Start, Token, Done]
    assert text(events) == canned_messages("en").person_asked
    assert (done(events).answered_by, done(events).low_confidence) == (AnsweredBy.HANDOFF, False)
    assert await state(house) is LiveState.WAITING


async def test_they_are_of_the_visitors_language(house: AnsweringHouse) -> None:
    house.session = replace(house.session, locale="de")
    assert text(await house.ask("Kann ich mit einem Menschen sprechen?")) == canned_messages("de").person_asked


async def test_it_is_no_gap_not_even_by_a_thumbs_down(house: AnsweringHouse) -> None:
    await house.ask(WISH)
    await house.turns.feedback(house.session, house.sent[-1].turn_id, "down", "")
    with house.record.reading() as tx:
        assert GapRecords(tx).page(house.agent_id, GapState.OPEN, PageRequest()).items == []


async def test_it_comes_before_curated_answers(house: AnsweringHouse) -> None:
    with house.record.writing() as tx:
        CuratedAnswerRecords(tx).create(
            CuratedAnswer(uuid4(), house.agent_id, Trigger.PHRASE, "talk to a human", "Call 0123.")
        )
    assert done(await house.ask(WISH)).answered_by is AnsweredBy.HANDOFF


async def test_asking_twice_calls_once(house: AnsweringHouse) -> None:
    for _ in range(2):
        assert done(await house.ask(WISH)).answered_by is AnsweredBy.HANDOFF
    chats, actor = desk(house)
    assert len(await chats.open_chats(actor)) == 1


async def test_a_turn_ends_also_where_its_conversation_was_cleared_meanwhile(house: AnsweringHouse) -> None:
    request = house.request(WISH)
    end = TurnEnd(TurnState.DONE, "Called.", AnsweredBy.HANDOFF, 1.0, low_confidence=False, finish=Finish.COMPLETE)
    with house.record.writing() as tx:
        TurnRecords(tx).begin(house.session, request, 1, "tests")
    await house.conversations.clear(house.session)
    with house.record.writing() as tx:
        TurnRecords(tx).finish(request.turn_id, end)
    with house.record.reading() as tx:
        turn = StoredTurnRecords(tx).find(request.turn_id)
    assert turn is not None
    assert turn.state is TurnState.DONE
    chats, actor = desk(house)
    assert await chats.open_chats(actor) == []


async def test_nobody_is_called_where_the_agent_offers_nobody(tmp_path: Path) -> None:
    async with answering_house(tmp_path) as house:
        assert done(await house.ask(WISH)).answered_by is not AnsweredBy.HANDOFF
        assert await state(house) is LiveState.NONE


async def test_nobody_is_called_from_the_command_line(house: AnsweringHouse) -> None:
    house.session = replace(house.session, channel=Channel.CLI)
    assert done(await house.ask(WISH)).answered_by is not AnsweredBy.HANDOFF
    assert await state(house) is LiveState.NONE


async def test_the_agent_answers_while_the_visitor_waits_and_is_silent_while_a_person_talks(tmp_path: Path) -> None:
    model = ScriptedChatModel(("3 years [1].",), ("30 days [1].",))
    async with answering_house(tmp_path, model=model, config=AgentConfig(name="Lamp helper", live_chat=True)) as house:
        chats, actor = desk(house)
        await chats.ask(house.session)
        assert done(await house.ask(QUESTION)).answered_by is AnsweredBy.MODEL
        asked = len(model.requests)
        assert done(await house.ask(WISH)).answered_by is AnsweredBy.HANDOFF
        await chats.take_over(actor, house.session.conversation_id)
        for message in (QUESTION, WISH):
            with pytest.raises(HandedToPerson):
                await house.ask(message)
        assert len(model.requests) == asked
        await chats.hand_back(actor, house.session.conversation_id)
        assert done(await house.ask("How long may I return a lamp?")).answered_by is AnsweredBy.MODEL


async def pause(house: AnsweringHouse, is_paused: bool = True) -> None:
    with house.record.writing() as tx:
        AgentRecords(tx).pause(house.workspace_id, house.agent_id, is_paused)


async def test_a_paused_agent_refuses_and_knows_as_much_when_it_is_resumed(tmp_path: Path) -> None:
    model = ScriptedChatModel(("3 years [1].",))
    async with answering_house(tmp_path, model=model) as house:
        before = await house.live_agent()
        await pause(house)
        for channel in (Channel.WIDGET, Channel.API, Channel.MCP):
            house.session = replace(house.session, channel=channel)
            with pytest.raises(AgentPaused):
                await house.ask(QUESTION)
        assert model.requests == []
        with house.record.reading() as tx:
            assert GapRecords(tx).page(house.agent_id, GapState.OPEN, PageRequest()).items == []
        await pause(house, False)
        assert await house.live_agent() == before, "neither published nor indexed anew"
        assert done(await house.ask(QUESTION)).answered_by is AnsweredBy.MODEL


async def test_operators_ask_a_paused_agent_from_the_command_line(tmp_path: Path) -> None:
    async with answering_house(tmp_path, model=ScriptedChatModel(("3 years [1].",))) as house:
        await pause(house)
        house.session = replace(house.session, channel=Channel.CLI)
        assert done(await house.ask(QUESTION)).answered_by is AnsweredBy.MODEL


async def test_a_person_who_talks_goes_on_while_the_agent_is_paused(tmp_path: Path) -> None:
    async with answering_house(tmp_path, config=AgentConfig(name="Lamp helper", live_chat=True)) as house:
        chats, actor = desk(house)
        await chats.ask(house.session)
        await chats.take_over(actor, house.session.conversation_id)
        await pause(house)
        with pytest.raises(HandedToPerson):
            await house.ask(QUESTION)


TALK = Exchange("I live in Norway.", "See shipping a lamp to Norway.", is_with_person=True)


async def talk_with_ann(house: AnsweringHouse) -> None:
    """A visitor who has had an answer writes with a person, who hands back."""
    chats, ann = desk(house)
    await house.ask(QUESTION)
    house.clock.advance(1)
    await chats.ask(house.session)
    await chats.say(house.session, uuid4(), TALK.question)
    await chats.take_over(ann, house.session.conversation_id)
    await chats.reply(ann, house.session.conversation_id, uuid4(), TALK.answer)
    await chats.hand_back(ann, house.session.conversation_id)
    house.clock.advance(1)


async def test_the_agent_knows_what_they_wrote_after_they_hand_back(tmp_path: Path) -> None:
    model = ScriptedChatModel(("3 years [1].",), ("9 euros [1].",), ("5 days [1].",))
    async with answering_house(tmp_path, model=model, config=AgentConfig(name="Lamp helper", live_chat=True)) as house:
        await talk_with_ann(house)
        await house.ask("And what does that cost?")
        house.clock.advance(1)
        await house.ask("And how many days is it?")
    _, first, second = model.requests
    assert [message.content for message in first[1:3]] == [QUESTION, "3 years."]
    assert first[3].content.startswith(as_transcript(TALK))
    assert "Shipping costs 9 euros" in first[3].content
    assert [message.content for message in second[1:5]] == [
        QUESTION,
        "3 years.",
        f"{as_transcript(TALK)}\n\nAnd what does that cost?",
        "9 euros.",
    ]


async def test_a_follow_up_to_what_a_person_named_is_searched_with_it(tmp_path: Path) -> None:
    async with answering_house(tmp_path, config=AgentConfig(name="Lamp helper", live_chat=True)) as house:
        await talk_with_ann(house)
        assert "9 euros" in text(await house.ask("And what does that cost?"))
