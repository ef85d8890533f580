"""Visitors and their conversations."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from app.agents.agent import Agent
from app.conversations.conversation import RESUME_WITHIN, Visitor
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.conversations.visitor_facts import DeviceKind, VisitorDevice
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.core.turn import Channel, VisitorSession
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import a_turn, an_id, ask, begin

RESUME_SECONDS = RESUME_WITHIN.total_seconds()


async def test_a_browser_is_the_same_visitor_each_time(record: SystemOfRecord, agent: Agent) -> None:
    name = an_id()
    with record.writing() as tx:
        visitor = ConversationRecords(tx).visitor(agent.id, name)
        assert ConversationRecords(tx).visitor(agent.id, name) == visitor
        assert ConversationRecords(tx).visitor(agent.id, an_id()).id != visitor.id
    assert (visitor.agent_id, visitor.anonymous_id) == (agent.id, name)


async def test_who_bears_no_name_is_a_new_visitor_and_is_known_by_the_name_from_then_on(
    record: SystemOfRecord, agent: Agent
) -> None:
    with record.writing() as tx:
        visitor = ConversationRecords(tx).new_visitor(agent.id)
        assert ConversationRecords(tx).new_visitor(agent.id) != visitor
        assert ConversationRecords(tx).visitor(agent.id, visitor.anonymous_id) == visitor


async def test_a_visitor_needs_an_agent_and_a_conversation_its_visitor(record: SystemOfRecord, agent: Agent) -> None:
    with record.writing() as tx:
        with pytest.raises(NotFound, match="agent"):
            ConversationRecords(tx).visitor(an_id(), an_id())
        with pytest.raises(NotFound, match="agent"):
            ConversationRecords(tx).new_visitor(an_id())
        with pytest.raises(NotFound, match="visitor"):
            ConversationRecords(tx).start(Visitor(an_id(), agent.id, an_id()), Channel.WIDGET)


@pytest.mark.parametrize(
    "device",
    [None, VisitorDevice(DeviceKind.TABLET, "iPadOS 17", "Safari 17"), VisitorDevice(None, "", "Firefox 130")],
    ids=["unknown", "known", "known in part"],
)
async def test_what_a_conversation_was_begun_on_is_kept_with_it(
    record: SystemOfRecord, agent: Agent, workspace_id: UUID, device: VisitorDevice | None
) -> None:
    with record.writing() as tx:
        begun = ConversationRecords(tx).start(ConversationRecords(tx).new_visitor(agent.id), Channel.WIDGET, device)
    with record.reading() as tx:
        kept = ConversationRecords(tx).conversation(workspace_id, begun.id)
    assert kept == begun
    assert kept.device == device


async def test_a_conversation_is_resumed_within_a_day_of_its_last_activity(
    record: SystemOfRecord, session: VisitorSession, clock: FixedClock
) -> None:
    clock.advance(RESUME_SECONDS - 1)
    await ask(record, session)
    clock.advance(RESUME_SECONDS)
    with record.reading() as tx:
        resumed = ConversationRecords(tx).resumable(session.visitor_id)
    assert resumed is not None
    assert (resumed.id, resumed.turn_count) == (session.conversation_id, 1)
    clock.advance(1)
    with record.reading() as tx:
        assert ConversationRecords(tx).resumable(session.visitor_id) is None


async def test_the_latest_of_two_conversations_is_resumed(
    record: SystemOfRecord, session: VisitorSession, clock: FixedClock
) -> None:
    clock.advance(1)
    with record.writing() as tx:
        visitor = Visitor(session.visitor_id, session.agent_id, an_id())
        second = ConversationRecords(tx).start(visitor, Channel.WIDGET)
        assert ConversationRecords(tx).resumable(session.visitor_id) == second


async def test_a_cleared_conversation_is_never_resumed_or_shown_again(
    record: SystemOfRecord, session: VisitorSession
) -> None:
    turn_id = await ask(record, session)
    with record.writing() as tx:
        ConversationRecords(tx).clear(session)
        ConversationRecords(tx).clear(session)
        assert ConversationRecords(tx).resumable(session.visitor_id) is None
        assert ConversationRecords(tx).messages(session.conversation_id, 30) == []
        operators = StoredTurnRecords(tx).of_conversation(session.conversation_id)
    assert [turn.id for turn in operators] == [turn_id]


@pytest.mark.parametrize("name", ["agent_id", "visitor_id", "conversation_id"])
async def test_nobody_clears_a_conversation_that_is_not_theirs(
    record: SystemOfRecord, session: VisitorSession, name: str
) -> None:
    foreign: dict[str, Any] = {name: an_id()}
    with pytest.raises(NotFound, match="conversation"), record.writing() as tx:
        ConversationRecords(tx).clear(replace(session, **foreign))


async def test_a_clearing_while_the_answer_runs_lets_it_end(record: SystemOfRecord, session: VisitorSession) -> None:
    request = a_turn()
    await begin(record, session, request)
    with record.writing() as tx:
        ConversationRecords(tx).clear(session)
        assert TurnRecords(tx).cut_orphans([]) == 1


async def test_the_latest_messages_come_oldest_first(record: SystemOfRecord, session: VisitorSession) -> None:
    for number in range(3):
        await ask(record, session, f"Q{number}", answer=f"A{number}")
    with record.reading() as tx:
        messages = ConversationRecords(tx).messages(session.conversation_id, 3)
    assert [message.text for message in messages] == ["A1", "Q2", "A2"]
    assert [len(message.citations) for message in messages] == [1, 0, 1]


async def test_operators_see_conversations_with_a_question_latest_first(
    record: SystemOfRecord, session: VisitorSession, clock: FixedClock
) -> None:
    asked: list[UUID] = []
    for number in range(3):
        clock.advance(1)
        with record.writing() as tx:
            visitor = ConversationRecords(tx).visitor(session.agent_id, an_id())
            conversation = ConversationRecords(tx).start(visitor, Channel.CLI)
        await ask(record, replace(session, visitor_id=visitor.id, conversation_id=conversation.id), f"Q{number}")
        asked.append(conversation.id)
    with record.reading() as tx:
        first = InboxRecords(tx).page(session.agent_id, PageRequest(limit=2))
        rest = InboxRecords(tx).page(session.agent_id, PageRequest(limit=2, cursor=first.next_cursor))
    listed = [entry.conversation for entry in (*first.items, *rest.items)]
    assert [conversation.id for conversation in listed] == list(reversed(asked))
    assert [conversation.first_question for conversation in listed] == ["Q2", "Q1", "Q0"]
    assert rest.next_cursor is None


async def test_a_conversation_tells_its_first_question(record: SystemOfRecord, session: VisitorSession) -> None:
    await ask(record, session, "Why?")
    await ask(record, session, "How?")
    with record.reading() as tx:
        conversation = ConversationRecords(tx).conversation(session.workspace_id, session.conversation_id)
    assert (conversation.first_question, conversation.turn_count) == ("Why?", 2)


async def test_a_foreign_conversation_is_an_absent_one(
    record: SystemOfRecord, session: VisitorSession, foreign_workspace_id: UUID
) -> None:
    with record.reading() as tx:
        for workspace_id, conversation_id in (
            (foreign_workspace_id, session.conversation_id),
            (session.workspace_id, an_id()),
        ):
            with pytest.raises(NotFound, match="conversation"):
                ConversationRecords(tx).conversation(workspace_id, conversation_id)
