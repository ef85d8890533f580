"""Live chats of conversations."""

import asyncio
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import Engine, func, select

from app.conversations.live_chat import Author, LiveChat, LiveState
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import NotFound
from app.core.turn import Channel, VisitorSession
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import OUTBOX
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import an_id, ask

ANN = Actor(UUID(int=1), "ann", frozenset((READ, WRITE)), UUID(int=2))


async def call(record: SystemOfRecord, session: VisitorSession) -> LiveChat:
    return await record.write(lambda tx: LiveChatRecords(tx).ask(session))


async def test_who_asks_many_times_at_once_is_told_of_once(
    record: SystemOfRecord, engine: Engine, session: VisitorSession
) -> None:
    chats = await asyncio.gather(*(call(record, session) for _ in range(5)))
    assert len({chat.id for chat in chats}) == 1
    told = select(func.count()).where(OUTBOX.c.kind == "conversation.person_asked")
    with engine.connect() as connection:
        assert connection.execute(told).scalar_one() == 1


async def test_messages_at_once_have_numbers_of_their_own(record: SystemOfRecord, session: VisitorSession) -> None:
    await call(record, session)

    async def say(text: str) -> None:
        with record.writing() as tx:
            chat = LiveChatRecords(tx).own(session, to_change=True)
            LiveChatRecords(tx).add(chat, an_id(), Author.VISITOR, None, text)

    await asyncio.gather(*(say(str(number)) for number in range(5)))
    with record.reading() as tx:
        messages = LiveChatRecords(tx).messages(session.conversation_id, 0, 10)
        assert LiveChatRecords(tx).own(session).message_count == 5
    assert [message.number for message in messages] == [1, 2, 3, 4, 5]
    assert sorted(message.text for message in messages) == ["0", "1", "2", "3", "4"]


async def test_a_list_says_who_asked(
    record: SystemOfRecord, session: VisitorSession, workspace_id: UUID, clock: FixedClock
) -> None:
    await call(record, session)
    with record.writing() as tx:
        ann = ConversationRecords(tx).signed_visitor(session.agent_id, "ann-42")
        conversation = ConversationRecords(tx).start(ann, Channel.WIDGET)
    await call(record, replace(session, visitor_id=ann.id, conversation_id=conversation.id))
    with record.reading() as tx:
        listed = LiveChatRecords(tx).open_chats(workspace_id, clock.now(), 10)
    assert [(each.visitor_id, each.user_id) for each in listed] == [(session.visitor_id, None), (ann.id, "ann-42")]


async def test_open_chats_are_counted_and_listed_for_their_workspace_alone(
    record: SystemOfRecord,
    session: VisitorSession,
    workspace_id: UUID,
    foreign_workspace_id: UUID,
    clock: FixedClock,
) -> None:
    await ask(record, session, "What does it cost?")
    chat = await call(record, session)
    since = clock.now()
    with record.reading() as tx:
        [listed] = LiveChatRecords(tx).open_chats(workspace_id, since, 10)
        assert (listed.chat, listed.first_question, listed.latest_text) == (chat, "What does it cost?", "")
        assert LiveChatRecords(tx).waiting_count(workspace_id, since) == 1
        assert LiveChatRecords(tx).open_chats(foreign_workspace_id, since, 10) == []
        assert LiveChatRecords(tx).waiting_count(foreign_workspace_id, since) == 0
        with pytest.raises(NotFound):
            LiveChatRecords(tx).live_chat(foreign_workspace_id, session.conversation_id)
    with record.writing() as tx:
        LiveChatRecords(tx).keep(chat.taken(ANN, "Ann", clock.now()))
    with record.reading() as tx:
        assert LiveChatRecords(tx).is_talking(session.conversation_id)
        assert LiveChatRecords(tx).waiting_count(workspace_id, since) == 0
        [listed] = LiveChatRecords(tx).open_chats(workspace_id, since, 10)
    assert (listed.chat.state, listed.chat.is_with(ANN)) == (LiveState.TALKING, True)
