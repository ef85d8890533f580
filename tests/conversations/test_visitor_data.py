"""What is kept of a visitor can be seen by them, and goes without a trace."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import anyio
import pytest

from app.conversations.live_chat import Author
from app.conversations.privacy.visitor_data import VisitorData
from app.conversations.records.live_chats import LiveChatRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.core.turn import Exchange, Finish, VisitorSession
from app.core.turn_events import Done, Token, TurnEvent
from app.gaps.records.gaps import GapRecords
from app.leads.lead import Lead
from app.leads.records import LeadRecords
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.stored_bytes import StoredBytes

MARK = "zqxmarkerqxz"
WITHIN_SECONDS = 60  # nothing is left for a worker to do later
UNANSWERABLE = f"Wherefore {MARK}?"


@dataclass
class Home:
    """The answering room with one visitor who has left the marker wherever a visitor can."""

    folder: Path
    house: AnsweringHouse
    data: VisitorData

    @property
    def session(self) -> VisitorSession:
        return self.house.session

    @property
    def operator(self) -> Actor:
        return Actor(self.house.workspace_id, "ann", frozenset((READ, WRITE)))

    async def another_visitor(self) -> VisitorSession:
        return (await self.house.conversations.open(await self.house.live_agent(), None)).session

    async def ask(self, session: VisitorSession, message: str, page: str = "/") -> UUID:
        request = self.house.request(message, page=page, context=f"I am on {page}.")
        self.house.sent.append(request)
        live = await self.house.turns.ask(session, request)
        assert isinstance([numbered.event async for numbered in live.events()][-1], Done)
        return request.turn_id

    async def leave_a_message(self) -> None:
        own = self.session
        texts = (f"Ann {MARK}", f"{MARK}@example.com", f"Call me, {MARK}.")
        lead = Lead(uuid4(), own.agent_id, own.visitor_id, own.conversation_id, *texts, self.house.clock.now())
        await self.house.record.write(lambda tx: LeadRecords(tx).add(lead))

    async def ask_for_a_person(self) -> None:
        with self.house.record.writing() as tx:
            chat = LiveChatRecords(tx).ask(self.session)
            LiveChatRecords(tx).add(chat, uuid4(), Author.VISITOR, None, f"Are you there, {MARK}?")

    def tables_with(self, *words: str) -> set[str]:
        return StoredBytes(self.folder).tables_with(*words)

    def files_with(self, word: str) -> list[str]:
        return StoredBytes(self.folder).files_with(word)


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    async with answering_house(tmp_path) as house:
        agent = await house.live_agent()
        house.session = (await house.conversations.open(agent, None, user_id=f"user {MARK}")).session
        home = Home(tmp_path, house, VisitorData(house.record, house.turns))
        # Answered with a doubt, because of words that no page has, so it is a gap as well.
        await home.ask(house.session, f"How long may I return a {MARK} lamp by mail?", f"/{MARK}")
        unanswered = await home.ask(house.session, UNANSWERABLE)
        await house.turns.feedback(house.session, unanswered, "down", f"Not what {MARK} asked.")
        await home.leave_a_message()
        await home.ask_for_a_person()
        yield home


async def test_the_marker_was_everywhere(home: Home) -> None:
    """Else its absence would show nothing."""
    places = {
        "visitors",
        "conversations",
        "turns",
        "messages",
        "feedback",
        "leads",
        "live_messages",
        "gaps",
        "gap_questions",
    }
    assert places <= home.tables_with(MARK)
    assert home.files_with(MARK)
    assert any(MARK.encode() in value for value in home.house.cache.values.values())


async def test_an_export_has_conversations_turns_citations_and_feedback(home: Home) -> None:
    export = await home.data.export_own(home.session)
    assert export.visitor.id == home.session.visitor_id
    [conversation] = export.conversations
    answered, unanswered = conversation.turns
    assert MARK in answered.turn.question
    assert "30 days" in answered.turn.answer
    assert answered.turn.citations
    assert answered.feedback is None
    assert unanswered.feedback is not None
    [written] = conversation.live_messages
    assert (written.author, written.text) == (Author.VISITOR, f"Are you there, {MARK}?")
    assert (unanswered.feedback.rating, unanswered.feedback.comment) == ("down", f"Not what {MARK} asked.")


async def test_an_export_has_cleared_conversations_and_no_one_elses(home: Home) -> None:
    await home.house.conversations.clear(home.session)
    stranger = await home.another_visitor()
    await home.ask(stranger, "How long is the warranty?")
    export = await home.data.export_own(home.session)
    [conversation] = export.conversations
    assert conversation.cleared_at is not None
    assert len(conversation.turns) == 2


async def test_nothing_is_left_of_an_erased_visitor(home: Home) -> None:
    async with asyncio.timeout(WITHIN_SECONDS):
        erasure = await home.data.erase_own(home.session)
    ids = [home.session.visitor_id, home.session.conversation_id, *(sent.turn_id for sent in home.house.sent)]
    assert home.tables_with(MARK, *(given.hex for given in ids), *(str(given) for given in ids)) == set()
    assert home.files_with(MARK) == []
    assert home.house.cache.values.keys() == {key for key in home.house.cache.values if key.startswith("ranking:")}
    assert not any(MARK.encode() in value for value in home.house.cache.values.values())
    rows = erasure.rows
    assert [rows[name] for name in ("conversations", "turns", "messages", "feedback", "gaps")] == [1, 2, 4, 1, 2]
    assert rows["live_messages"] == 1
    assert rows["citations"] > 0
    assert rows["outbox"] > 0


async def test_nothing_is_left_among_many_others(home: Home) -> None:
    """Rows that others keep on the same pages of the file do not keep the erased ones' bytes."""
    stranger = await home.another_visitor()
    for number in range(40):
        who = home.session if number % 2 else stranger
        word = MARK if number % 2 else "lamp"
        await home.ask(who, f"{number} {word} " * 60)
    await home.data.erase_own(home.session)
    assert home.tables_with(MARK) == set()
    assert home.files_with(MARK) == []
    export = await home.data.export_own(stranger)
    assert len(export.conversations[0].turns) == 20


async def test_a_running_turn_is_ended_first(tmp_path: Path) -> None:
    async with answering_house(tmp_path, model=ScriptedChatModel(("A lamp ", anyio.Event()))) as house:
        home = Home(tmp_path, house, VisitorData(house.record, house.turns))
        request = house.request(f"How long may I return a {MARK} lamp by mail?")
        live = await house.turns.ask(house.session, request)
        events: list[TurnEvent] = []
        async for numbered in live.events():
            events.append(numbered.event)
            if isinstance(numbered.event, Token):
                erasing = asyncio.create_task(home.data.erase_own(house.session))
        erasure = await erasing
        assert isinstance(events[-1], Done)
        assert events[-1].finish is Finish.STOPPED
        assert house.turns.running_count == 0
        assert (erasure.rows["turns"], erasure.rows["messages"]) == (1, 2)
        assert home.tables_with(MARK, request.turn_id.hex) == set()
        assert home.files_with(MARK) == []
        assert not any(key.startswith("history:") for key in house.cache.values)
        with pytest.raises(NotFound):
            await house.turns.rejoin(house.session, request.turn_id)


async def test_what_people_wrote_is_told_to_models_until_its_visitor_is_erased(home: Home) -> None:
    history, own = home.house.answering.history, home.session.conversation_id
    await history.people_wrote(own)
    told = await history.recent(own)
    assert Exchange(f"Are you there, {MARK}?", "", is_with_person=True) in told
    await history.remember(own, told, Exchange("And now?", "Nobody came."))
    await home.data.erase_own(home.session)
    assert await history.recent(own) == ()
    assert not any(str(own) in key for key in home.house.cache.values)


async def test_usage_stays_and_leads_nowhere(home: Home) -> None:
    await home.data.erase_own(home.session)
    connection = sqlite3.connect(home.folder / "docent.sqlite")
    used = connection.execute("select count(*), count(distinct turn_id) from usage").fetchone()
    connection.close()
    assert used == (2, 2)


async def test_an_erased_visitor_is_unknown(home: Home) -> None:
    await home.data.erase_own(home.session)
    with pytest.raises(NotFound):
        await home.data.export_own(home.session)
    with pytest.raises(NotFound):
        await home.data.erase_own(home.session)
    with pytest.raises(NotFound):
        await home.ask(home.session, "Still there?")
    assert (await home.house.conversations.messages(home.session)).messages == []


async def test_a_gap_that_others_asked_keeps_their_words_and_count(home: Home) -> None:
    stranger = await home.another_visitor()
    await home.ask(stranger, UNANSWERABLE.upper())
    again = await home.ask(home.session, UNANSWERABLE)
    await home.house.turns.feedback(home.session, again, "down", "")
    erasure = await home.data.erase_own(home.session)
    assert (erasure.rows["gaps"], erasure.rows["gap_questions"]) == (1, 3)
    with home.house.record.reading() as tx:
        [gap] = GapRecords(tx).page(home.house.agent_id, None, PageRequest()).items
    assert (gap.question, gap.count) == (UNANSWERABLE.upper(), 1)


async def test_another_visitors_turns_are_untouched(home: Home) -> None:
    stranger = await home.another_visitor()
    await home.ask(stranger, "How long is the warranty?")
    before = await home.data.export_own(stranger)
    await home.data.erase_own(home.session)
    assert await home.data.export_own(stranger) == before
    assert len(await home.house.answering.history.recent(stranger.conversation_id)) == 1


async def test_an_operator_erases_one_conversation_and_the_visitor_stays(home: Home) -> None:
    await home.data.erase_conversation(home.operator, home.session.conversation_id)
    assert home.tables_with(MARK) == {"visitors"}  # as whom their website knows them
    assert home.files_with(UNANSWERABLE) == []
    assert (await home.data.export(home.operator, home.session.visitor_id)).conversations == ()


async def test_the_audit_names_who_erased_and_the_receipt_alone(home: Home) -> None:
    by_operator = await home.data.erase_conversation(home.operator, home.session.conversation_id)
    by_visitor = await home.data.erase_own(home.session)
    connection = sqlite3.connect(home.folder / "docent.sqlite")
    rows = connection.execute("select actor, action, subject from audit_log where action like '%.erase'").fetchall()
    connection.close()
    assert sorted(rows) == [
        ("ann", "conversation.erase", str(by_operator.id)),
        ("visitor", "visitor.erase", str(by_visitor.id)),
    ]


async def test_a_visitor_who_never_asked_leaves_a_receipt_of_nothing(home: Home) -> None:
    silent = await home.another_visitor()
    erasure = await home.data.erase_own(silent)
    nothing = (
        *("turns", "messages", "citations", "feedback", "confirmations", "gaps", "gap_questions", "stale_answers"),
        *("stale_tellings", "outbox", "leads", "live_messages", "labels", "notes", "mails"),
    )
    assert erasure.rows == {"conversations": 1, **dict.fromkeys(nothing, 0)}
