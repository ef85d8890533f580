"""The history of a conversation: answered turns, and what people wrote between them."""

from app.conversations.live_chat import Author
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.turn import Exchange, TurnState, VisitorSession
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import a_turn, an_id, another_session, ask, begin


async def test_history_is_the_latest_answered_turns_oldest_first(
    record: SystemOfRecord, session: VisitorSession
) -> None:
    for number in range(4):
        await ask(record, session, f"Q{number}", answer=f"A{number}")
    await ask(record, session, "Q4", answer="", state=TurnState.FAILED)
    await begin(record, session, a_turn("Q5"))
    with record.reading() as tx:
        history = StoredTurnRecords(tx).history(session.conversation_id, 3)
        turns = StoredTurnRecords(tx).of_conversation(session.conversation_id)
    assert history == [Exchange("Q1", "A1"), Exchange("Q2", "A2"), Exchange("Q3", "A3")]
    assert [turn.question for turn in turns] == ["Q0", "Q1", "Q2", "Q3", "Q4", "Q5"]
    assert [len(turn.citations) for turn in turns] == [1, 1, 1, 1, 1, 0]


async def test_history_has_what_people_wrote_between_the_turns(
    record: SystemOfRecord, session: VisitorSession, clock: FixedClock
) -> None:
    stranger = await another_session(record, session)

    async def write(to: VisitorSession, author: Author, text: str) -> None:
        clock.advance(1)
        with record.writing() as tx:
            chat = LiveChatRecords(tx).ask(to)
            LiveChatRecords(tx).add(chat, an_id(), author, None, text)

    await ask(record, session, "Q0", answer="A0")
    await write(session, Author.VISITOR, "Which lamp?")
    await write(stranger, Author.VISITOR, "A stranger's words")
    await write(session, Author.OPERATOR, "The Nordlys.")
    clock.advance(1)
    await ask(record, session, "Q1", answer="A1")
    with record.reading() as tx:
        history = StoredTurnRecords(tx).history(session.conversation_id, 6)
        latest = StoredTurnRecords(tx).history(session.conversation_id, 2)
    talk = Exchange("Which lamp?", "The Nordlys.", is_with_person=True)
    assert history == [Exchange("Q0", "A0"), talk, Exchange("Q1", "A1")]
    assert latest == history[1:]


async def test_history_reads_the_latest_of_a_long_talk(
    record: SystemOfRecord, session: VisitorSession, clock: FixedClock
) -> None:
    with record.writing() as tx:
        chat = LiveChatRecords(tx).ask(session)
        for number in range(20):
            clock.advance(1)
            author = Author.OPERATOR if number % 2 else Author.VISITOR
            chat = LiveChatRecords(tx).add(chat, an_id(), author, None, f"{number}")
    with record.reading() as tx:
        [before, last] = StoredTurnRecords(tx).history(session.conversation_id, 2)
    assert (before.question, before.answer, last.question, last.answer) == ("16", "17", "18", "19")
