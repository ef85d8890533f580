"""Packed words find the conversations that their messages do, and leave with what is erased."""

from collections.abc import Sequence
from functools import partial

import pytest
from sqlalchemy import func, select

from app.conversations.conversation import ConversationFilter
from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.packed_days import PACKED_WORDS
from app.core.list_page import PageRequest
from app.core.turn import VisitorSession
from app.reports.reports import DayPacking
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.visitors import new_agent, visitor_of
from tests.store.sample_rows import another_session, ask
from tests.store.test_inbox_plans import steps

DAY = 86_400
SAID = (
    ("How long is the Herstellergarantie?", "Zwei Jahre, siehe https://shop.example/Garantie#a_b."),
    ("保修期是多久？", "两年保修。"),
    ("รับประกันกี่ปี", "สองปี"),
    ("KAPIDA ödeme var mı?", "Evet, İSTANBUL içinde ılık."),
    ("Is it 100% waterproof?", "No: 50% at most, and O'Neill_says so."),
    ("ΠΟΣΟ κοστίζει;", "Ο ΔΡΟΜΟΣ είναι δωρεάν."),
    ("Ok", "Yes, straße and STRASSE."),
)
WANTED = (
    *("garantie", "GARANTIE", "herstellergarantie", "lergar", "https://shop.example/garantie", "a_b", "a%b"),
    *("保修", "保修期", "税", "修", "ประกัน", "ödeme", "ÖDEME", "istanbul", "ılık", "ILIK", "100%", "o'neill"),
    *("δρομος", "ΔΡΟΜΟΣ", "ok", "o", "straße", "strasse", "zeppelin", "it waterproof", "it zeppelin", "most is"),
)


async def found(record: SystemOfRecord, session: VisitorSession, words: str) -> list[object]:
    with record.reading() as tx:
        page = InboxRecords(tx).page(session.agent_id, PageRequest(100), ConversationFilter(words))
    return [entry.conversation.id for entry in page.items]


async def pack(record: SystemOfRecord, clock: FixedClock) -> None:
    clock.advance(2 * DAY)
    while await DayPacking(record, clock).pack():
        pass


async def a_record(record: SystemOfRecord, clock: FixedClock, said: Sequence[tuple[str, str]]) -> VisitorSession:
    """A conversation for each question, three on a day; return the latest one's."""
    agent = new_agent(record)
    session = await visitor_of(record, agent.workspace_id, agent.id)
    for number, (question, answer) in enumerate(said):
        session = await another_session(record, session)
        await ask(record, session, question, answer=answer)
        clock.advance(0 if number % 3 else DAY)
    return session


async def test_packed_days_find_what_their_messages_say(record: SystemOfRecord, clock: FixedClock) -> None:
    session = await a_record(record, clock, SAID)
    in_messages = {words: await found(record, session, words) for words in WANTED}
    await pack(record, clock)
    assert {words: await found(record, session, words) for words in WANTED} == in_messages
    assert sum(map(bool, in_messages.values())) > len(WANTED) / 2
    assert in_messages["zeppelin"] == []


async def test_a_day_of_many_questions_is_read_in_parts(record: SystemOfRecord, clock: FixedClock) -> None:
    agent = new_agent(record)
    first = session = await visitor_of(record, agent.workspace_id, agent.id)
    for number in range(270):
        if number == 135:
            session = await another_session(record, session)
        await ask(record, session, f"Does part-{number:03} fit?")
    await pack(record, clock)
    assert await found(record, session, "PART-269") == [session.conversation_id]
    assert await found(record, session, "part-001 fit") == [first.conversation_id]
    assert await found(record, session, "part-270") == []


async def test_questions_of_today_are_found_beside_packed_ones(record: SystemOfRecord, clock: FixedClock) -> None:
    session = await a_record(record, clock, SAID)
    await pack(record, clock)
    today = await another_session(record, session)
    await ask(record, today, "Gibt es Garantie?")
    then = await found(record, session, "garantie")
    assert (len(then), then[0]) == (2, today.conversation_id)


async def test_an_agent_finds_its_own_conversations_alone(record: SystemOfRecord, clock: FixedClock) -> None:
    one = await a_record(record, clock, SAID)
    other = await a_record(record, clock, SAID[1:])
    await pack(record, clock)
    assert (len(await found(record, one, "garantie")), await found(record, other, "garantie")) == (1, [])


async def test_what_is_erased_leaves_packed_words_at_once(record: SystemOfRecord, clock: FixedClock) -> None:
    session = await a_record(record, clock, SAID[:1])
    await pack(record, clock)

    def packed() -> int | None:
        with record.reading() as tx:
            return tx.connection.scalar(select(func.count()).select_from(PACKED_WORDS))

    assert packed() == 1
    with record.writing() as tx:
        VisitorRecords(tx).erase(session.workspace_id, session.visitor_id)
    assert packed() == 0
    await pack(record, clock)
    assert packed() == 0


async def test_a_search_without_a_hit_costs_no_more_in_a_long_record(record: SystemOfRecord, clock: FixedClock) -> None:
    agent = new_agent(record)
    session = await visitor_of(record, agent.workspace_id, agent.id)
    cost: dict[str, list[int]] = {"zeppelin": [], "waterproof zeppelin": []}
    for count in (20, 300):
        for number in range(count):
            session = await another_session(record, session)
            await ask(record, session, f"Is part {number} waterproof?")
        await pack(record, clock)
        with record.reading() as tx:
            if tx.connection.dialect.name != "sqlite":
                pytest.skip("Postgres counts otherwise")
            for words, found in cost.items():
                look = partial(InboxRecords(tx).page, agent.id, PageRequest(5), ConversationFilter(words))
                found.append(steps(tx.connection, look))
    assert {words: (few, many) for words, (few, many) in cost.items() if many > few * 2 + 3} == {}
