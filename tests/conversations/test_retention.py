"""What visitors wrote goes when it is old enough, without a trace, and nothing that is younger."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.records import AgentRecords
from app.conversations.conversation import ConversationChange
from app.conversations.live_chat import Author
from app.conversations.privacy.retention import Retention, TraceRetention
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.turns import TurnRecords
from app.core.turn_events import Done
from app.core.webhook_event import WebhookEvent
from app.kit.tasks import PeriodicTask
from app.leads.lead import Lead
from app.leads.records import LeadRecords
from app.webhooks.records import WebhookRecords
from app.webhooks.webhook import Webhook
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.statements import statements
from tests.doubles.stored_bytes import StoredBytes
from tests.turns.outcomes import stored

MARK = "zqxmarkerqxz"
UNANSWERABLE = f"Wherefore {MARK}?"
DAY = 24 * 3600
KEPT_DAYS = 180
OF_VISITORS = {
    *("visitors", "conversations", "turns", "messages", "citations", "feedback"),
    *("gaps", "gap_questions", "outbox", "webhook_deliveries", "leads", "live_chats", "live_messages"),
    *("conversation_labels", "conversation_notes"),
}


@dataclass
class Home:
    folder: Path
    house: AnsweringHouse
    stored: StoredBytes

    async def ask(self, message: str) -> UUID:
        events = await self.house.ask(message, page=f"/{MARK}", context=f"I read {MARK}.")
        assert isinstance(events[-1], Done)
        return self.house.sent[-1].turn_id

    async def come_back(self) -> None:
        """Another visitor asks from now on."""
        opened = await self.house.conversations.open(await self.house.live_agent(), None)
        self.house.session = opened.session

    async def erase(self, at_once: int = 200) -> int:
        return await Retention(self.house.record, self.house.clock, at_once).erase()

    def days_pass(self, days: float) -> None:
        self.house.clock.advance(days * DAY)

    def count(self, table: str) -> int:
        return int(self.stored.rows(f"select count(*) from {table}")[0][0])

    def audit(self) -> list[tuple[str, str, str]]:
        return [
            (actor, action, details)
            for actor, action, details in self.stored.rows("select actor, action, details from audit_log order by id")
        ]


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    """A visitor has left the marker wherever a visitor can; a webhook was told."""
    async with answering_house(tmp_path) as house:
        home = Home(tmp_path, house, StoredBytes(tmp_path))
        told = (WebhookEvent.TURN_FINISHED,)
        hook = Webhook(uuid4(), house.agent_id, "https://hooks.example/", told, "kid", b"salt", house.clock.now())
        await house.record.write(lambda tx: WebhookRecords(tx).add(hook))
        await home.ask(f"How long may I return a lamp, {MARK}?")
        unanswered = await home.ask(UNANSWERABLE)
        await house.turns.feedback(house.session, unanswered, "down", f"Not what {MARK} asked.")
        visitor_id, conversation_id = house.session.visitor_id, house.session.conversation_id
        texts = MARK, "a@b.example", f"Call {MARK}"
        with house.record.writing() as tx:
            WebhookRecords(tx).hand_out(10)
            lead = Lead(uuid4(), house.agent_id, visitor_id, conversation_id, *texts, house.clock.now())
            LeadRecords(tx).add(lead)
            conversation = ConversationRecords(tx).conversation(house.session.workspace_id, conversation_id)
            InboxRecords(tx).add_note(conversation, "ann", f"This is {MARK}.")
            InboxRecords(tx).change(house.agent_id, [conversation_id], ConversationChange(add_labels=("VIP",)))
            chat = LiveChatRecords(tx).ask(house.session)
            LiveChatRecords(tx).add(chat, uuid4(), Author.VISITOR, None, f"Are you there, {MARK}?")
        yield home


async def test_every_table_of_visitors_has_something_to_lose(home: Home) -> None:
    """Else its emptiness would show nothing."""
    assert [table for table in OF_VISITORS if not home.count(table)] == []
    assert home.stored.files_with(MARK)


async def test_nothing_is_erased_before_its_time(home: Home) -> None:
    before = {table: home.count(table) for table in OF_VISITORS}
    home.days_pass(KEPT_DAYS)
    assert await home.erase() == 0
    assert {table: home.count(table) for table in OF_VISITORS} == before
    assert home.audit() == []


async def test_after_it_no_row_and_no_byte_is_left(home: Home) -> None:
    ids = [home.house.session.visitor_id, *(sent.turn_id for sent in home.house.sent)]
    home.days_pass(KEPT_DAYS + 1)
    assert await home.erase() == 2
    assert [table for table in OF_VISITORS if home.count(table)] == []
    assert home.stored.tables_with(MARK, *(each.hex for each in ids), *(str(each) for each in ids)) == set()
    assert home.stored.files_with(MARK) == []


async def test_it_is_audited_once_and_names_no_visitor(home: Home) -> None:
    home.days_pass(KEPT_DAYS + 1)
    await home.erase()
    await home.erase()
    [(actor, action, details)] = home.audit()
    assert (actor, action) == ("retention", "visitors.expire")
    assert all(part in details for part in ('"turns": 2', '"conversations": 1', '"visitors": 1', '"leads": 1', "180"))


async def test_the_bill_stays(home: Home) -> None:
    home.days_pass(KEPT_DAYS + 1)
    await home.erase()
    assert home.count("usage") == 2


async def test_batches_reach_everything(home: Home) -> None:
    for number in range(5):
        await home.come_back()
        await home.ask(f"Question {number} {MARK}?")
    home.days_pass(KEPT_DAYS + 1)
    assert await home.erase(at_once=2) == 7
    assert [table for table in OF_VISITORS if home.count(table)] == []
    assert len(home.audit()) == 4


async def test_of_a_conversation_that_goes_on_the_old_turns_go(home: Home) -> None:
    home.days_pass(KEPT_DAYS - 1)
    await home.ask("How long is the warranty?")
    home.days_pass(2)
    assert await home.erase() == 2
    assert home.stored.tables_with(MARK) == {"turns"}  # the page of the young one
    assert home.stored.rows("select first_question, turn_count from conversations") == [
        ("How long is the warranty?", 3)
    ]
    await home.ask("Who pays the postage of a return?")
    assert home.count("turns") == 2


async def test_a_gap_that_was_asked_again_keeps_the_young_asking(home: Home) -> None:
    home.days_pass(KEPT_DAYS - 1)
    await home.come_back()
    await home.ask(UNANSWERABLE.upper())
    home.days_pass(2)
    await home.erase()
    assert home.stored.rows("select question, count from gaps") == [(UNANSWERABLE.upper(), 1)]


async def test_a_running_turn_is_left_alone(home: Home) -> None:
    await home.come_back()
    with home.house.record.writing() as tx:
        TurnRecords(tx).begin(home.house.session, home.house.request("Still running?"), 1, "another-process")
    home.days_pass(KEPT_DAYS + 1)
    await home.erase()
    assert home.stored.rows("select state from turns") == [("running",)]
    assert (home.count("conversations"), home.count("visitors")) == (1, 1)


async def test_each_agent_has_its_own_period_as_it_was_published(home: Home) -> None:
    house = home.house
    with house.record.writing() as tx:
        agent = AgentRecords(tx).agent(house.workspace_id, house.agent_id)
        AgentRecords(tx).save_draft(house.workspace_id, agent.id, replace(agent.draft, retention_days=7))
    home.days_pass(8)
    assert await home.erase() == 0
    with house.record.writing() as tx:
        AgentRecords(tx).publish(house.workspace_id, agent.id)
    assert await home.erase() == 2


async def test_a_worker_erases_by_itself(home: Home) -> None:
    home.days_pass(KEPT_DAYS + 1)
    async with PeriodicTask("retention", Retention(home.house.record, home.house.clock).erase, pause_seconds=0.01):
        while home.count("turns") or home.stored.files_with(MARK):
            await home.house.record.empty_journal()
    assert len(home.audit()) == 1


async def test_a_batch_of_many_turns_takes_no_more_statements_than_one_of_few(home: Home) -> None:
    took: list[int] = []
    for asked in (2, 12):
        for number in range(asked):
            await home.ask(f"Wherefore {MARK} {'abcdefghijkl'[number] * 9}?")
        assert home.count("gaps") > asked - 1
        home.days_pass(KEPT_DAYS + 1)
        await home.come_back()
        with statements() as executed:
            await home.erase()
        took.append(len(executed))
        assert home.count("gaps") == 0
    assert took[1] <= took[0] + 2  # a page of the database more or less


async def test_only_how_search_came_to_its_ranking_goes_from_old_turns(home: Home) -> None:
    old = [await stored(home.house, sent) for sent in home.house.sent]
    home.days_pass(29)
    await home.ask("How long is the warranty of a lamp?")
    young = await stored(home.house)
    home.days_pass(1.1)
    traces = TraceRetention(home.house.record, home.house.clock, days=30, at_once=1)
    assert [await traces.drop() for _ in range(3)] == [1, 1, 0]

    for before, sent in zip(old, home.house.sent, strict=False):
        assert {"stages", "ranked", "standalone"} <= set(before.trace)
        kept = {name: fact for name, fact in before.trace.items() if name not in ("stages", "ranked")}
        assert await stored(home.house, sent) == replace(before, trace=kept)
    assert await stored(home.house) == young


async def test_traces_stay_as_long_as_the_turn_if_the_setting_is_0(home: Home) -> None:
    before = await stored(home.house)
    home.days_pass(KEPT_DAYS - 1)
    assert await TraceRetention(home.house.record, home.house.clock, days=0).drop() == 0
    assert await stored(home.house) == before
