"""Operators find conversations by what became of them, close them, give them to somebody and label them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select, update

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.conversations.conversation import (
    MAX_AT_ONCE,
    MAX_LABELS,
    NOBODY,
    ConversationChange,
    ConversationFilter,
    ConversationState,
    InboxEntry,
    LabelCount,
    Neighbours,
    Outcome,
    outcome_of_turn,
)
from app.conversations.inbox import ConversationReview, Inbox
from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.turns import TurnRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import PageRequest
from app.core.turn import AnsweredBy, Channel, TurnState, VisitorSession
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import CONVERSATION_LABELS, TURNS
from app.workspaces.operator import Operator, Role
from app.workspaces.records.operators import OperatorRecords
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.temporary_record import temporary_record
from tests.store.sample_rows import a_turn, an_end

ANN, BOB = "ann@example.com", "bob@example.com"
CLOSED = ConversationChange(state=ConversationState.CLOSED)


@dataclass
class Desk:
    """Ann's. A minute passes before each conversation begins."""

    record: SystemOfRecord
    clock: FixedClock
    actor: Actor
    agent: UUID
    sessions: dict[str, VisitorSession] = field(default_factory=dict)

    @property
    def inbox(self) -> Inbox:
        return Inbox(self.record)

    @property
    def review(self) -> ConversationReview:
        return ConversationReview(self.record)

    async def ask(
        self, question: str, *, page: str = "https://www.example.com/", rating: str = "", user: str = "", **end: Any
    ) -> UUID:
        """In a conversation of its own; return its id."""
        self.clock.advance(60)
        with self.record.writing() as tx:
            records = ConversationRecords(tx)
            visitor = records.signed_visitor(self.agent, user) if user else records.visitor(self.agent, uuid4())
            conversation = ConversationRecords(tx).start(visitor, Channel.WIDGET)
        session = VisitorSession(self.actor.workspace_id, self.agent, visitor.id, conversation.id, Channel.WIDGET)
        self.sessions[question] = session
        await self.go_on(session, question, page=page, rating=rating, **end)
        return conversation.id

    async def go_on(
        self, session: VisitorSession, question: str, *, page: str = "", rating: str = "", **end: Any
    ) -> None:
        request = replace(a_turn(question), page_url=page)
        with self.record.writing() as tx:
            TurnRecords(tx).begin(session, request, 1, "tests")
            TurnRecords(tx).finish(request.turn_id, an_end(**{"language": "en", **end}))
            if rating:
                TurnRecords(tx).feedback(session, request.turn_id, rating, "")

    async def listed(self, **only: Any) -> list[InboxEntry]:
        return list(
            (await self.review.conversations(self.actor, self.agent, PageRequest(), ConversationFilter(**only))).items
        )

    async def found(self, **only: Any) -> list[str]:
        """First questions, latest first."""
        return [entry.conversation.first_question for entry in await self.listed(**only)]

    async def change(self, conversation: UUID, **change: Any) -> InboxEntry:
        return await self.inbox.change_one(self.actor, conversation, ConversationChange(**change))


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        with record.writing() as tx:
            workspace = TokenRecords(tx).default_workspace()
            agent = AgentRecords(tx).create(workspace, AgentConfig(name="Docs"))
            for email in (ANN, BOB):
                OperatorRecords(tx).add(Operator(uuid4(), workspace, email, Role.EDITOR, clock.now()), "hash")
        yield Desk(record, clock, Actor(workspace, ANN, frozenset((READ, WRITE))), agent.id)


ENDS: dict[str, dict[str, Any]] = {
    "answered": {},
    "not sure": {"low_confidence": True},
    "nothing found": {"answered_by": AnsweredBy.FALLBACK},
    "a curated answer": {"answered_by": AnsweredBy.CURATED},
    "a greeting": {"answered_by": AnsweredBy.SMALL_TALK},
    "broke off": {"state": TurnState.FAILED},
}


async def test_what_became_of_a_question_is_found_as_it_is_shown(desk: Desk) -> None:
    """The rule in SQL and the one in Python are the same."""
    for question, end in ENDS.items():
        given = dict(end)
        is_low = given.pop("low_confidence", False)
        conversation = await desk.ask(question, **given)
        if is_low:
            await _make_unsure(desk, conversation)
    with desk.record.writing() as tx:
        LiveChatRecords(tx).ask(desk.sessions["a curated answer"])
    shown = {entry.conversation.first_question: entry.outcome for entry in await desk.listed()}
    assert shown == {
        "answered": Outcome.ANSWERED,
        "not sure": Outcome.UNANSWERED,
        "nothing found": Outcome.UNANSWERED,
        "a curated answer": Outcome.HANDED_OVER,
        "a greeting": None,
        "broke off": Outcome.FAILED,
    }
    for outcome in Outcome:
        assert set(await desk.found(outcome=outcome)) == {asked for asked, was in shown.items() if was is outcome}


async def _make_unsure(desk: Desk, conversation: UUID) -> None:
    with desk.record.writing() as tx:
        tx.connection.execute(update(TURNS).where(TURNS.c.conversation_id == conversation).values(low_confidence=True))


def test_a_running_turn_has_no_outcome_yet() -> None:
    assert outcome_of_turn(TurnState.RUNNING, None, is_low=False) is None
    assert outcome_of_turn(TurnState.DONE, AnsweredBy.HANDOFF, is_low=False) is Outcome.HANDED_OVER
    assert outcome_of_turn(TurnState.CUT, None, is_low=False) is Outcome.FAILED


async def test_all_conversations_of_a_named_visitor_are_found(desk: Desk) -> None:
    await desk.ask("Prices?", user="ann-42")
    await desk.ask("Shipping?")
    await desk.ask("Returns?", user="ann-42")
    assert await desk.found(user_id="ann-42") == ["Returns?", "Prices?"]
    assert await desk.found(user_id="ann-4") == []
    with desk.record.writing() as tx:
        other = AgentRecords(tx).create(desk.actor.workspace_id, AgentConfig(name="Other"))
    theirs = await desk.review.conversations(desk.actor, other.id, PageRequest(), ConversationFilter(user_id="ann-42"))
    assert theirs.items == [], "each website names its own"


async def test_conversations_are_found_by_page_language_visitor_and_thumb(desk: Desk) -> None:
    await desk.ask("Prices?", page="https://www.example.com/Pricing?x=100%")
    await desk.ask("Preise?", language="de", rating="down")
    [prices] = await desk.listed(page_url="/pricing")
    assert prices.page_url == "https://www.example.com/Pricing?x=100%"
    assert await desk.found(page_url="100%") == ["Prices?"]
    assert await desk.found(page_url="1_0") == []
    assert await desk.found(language="de") == ["Preise?"]
    assert await desk.found(visitor_id=prices.conversation.visitor_id) == ["Prices?"]
    assert await desk.found(visitor_id=uuid4()) == []
    [thumb_down] = await desk.listed(rating="down")
    assert (thumb_down.rating, thumb_down.language) == ("down", "de")
    with pytest.raises(InvalidInput, match="language"):
        await desk.found(language="German")


async def test_answers_with_sentences_that_no_source_confirms_are_found(desk: Desk) -> None:
    checked = {"answer_check": {"sentences": 2, "not_confirmed": 1}}
    await desk.ask("Marked?", answered_by=AnsweredBy.MODEL, trace=checked)
    await desk.ask("Quoted instead?", answered_by=AnsweredBy.EXTRACTIVE, trace=checked)
    await desk.ask("All confirmed?", answered_by=AnsweredBy.MODEL, trace={"answer_check": {"not_confirmed": 0}})
    await desk.ask("Not checked?", answered_by=AnsweredBy.MODEL)
    assert await desk.found(is_unconfirmed=True) == ["Marked?"]
    assert await desk.found(is_unconfirmed=False) == ["Not checked?", "All confirmed?", "Quoted instead?"]


async def test_a_closed_conversation_opens_again_when_its_visitor_goes_on(desk: Desk) -> None:
    conversation = await desk.ask("Shipping?")
    await desk.ask("Prices?")
    entry = await desk.change(conversation, state=ConversationState.CLOSED)
    assert entry.conversation.is_closed
    assert await desk.found(state=ConversationState.OPEN) == ["Prices?"]
    assert await desk.found(state=ConversationState.CLOSED) == ["Shipping?"]
    desk.clock.advance(1)
    await desk.go_on(desk.sessions["Shipping?"], "And to Malta?")
    assert await desk.found(state=ConversationState.OPEN) == ["Shipping?", "Prices?"]
    await desk.change(conversation, state=ConversationState.CLOSED)
    await desk.change(conversation, state=ConversationState.OPEN)
    assert await desk.found(state=ConversationState.CLOSED) == []


async def test_the_assignee_is_an_operator_of_the_workspace(desk: Desk) -> None:
    conversation = await desk.ask("Shipping?")
    await desk.ask("Prices?")
    await desk.change(conversation, assignee=f" {BOB.upper()} ")
    assert await desk.found(assignee=BOB) == ["Shipping?"]
    assert await desk.found(assignee=NOBODY) == ["Prices?"]
    for stranger in ("ann", "eve@example.com"):
        with pytest.raises(InvalidInput, match="assignee"):
            await desk.change(conversation, assignee=stranger)
    await desk.change(conversation, assignee="")
    assert await desk.found(assignee=BOB) == []


async def test_labels_are_kept_once_and_by_the_spelling_that_is_known(desk: Desk) -> None:
    shipping, prices = await desk.ask("Shipping?"), await desk.ask("Prices?")
    await desk.change(shipping, add_labels=("VIP", "delivery  time ", "VIP"))
    assert (await desk.change(prices, add_labels=("vip",))).labels == ("VIP",)
    assert await desk.found(label="VIP") == ["Prices?", "Shipping?"]
    assert await desk.review.labels(desk.actor, desk.agent) == [LabelCount("delivery time", 1), LabelCount("VIP", 2)]
    assert (await desk.change(shipping, remove_labels=("VIP", "never borne"))).labels == ("delivery time",)
    assert await desk.found(label="VIP") == ["Prices?"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({}, ""),
        ({"add_labels": (" ",)}, "add_labels"),
        ({"add_labels": ("a, b",)}, "add_labels"),
        ({"add_labels": ("x" * 41,)}, "add_labels"),
        ({"add_labels": tuple(map(str, range(MAX_LABELS + 1)))}, "add_labels"),
        ({"remove_labels": ("two\nlines",)}, "remove_labels"),
    ],
    ids=["nothing", "blank", "comma", "long", "too many", "two lines"],
)
async def test_a_change_that_cannot_be_kept_is_refused_and_changes_nothing(
    desk: Desk, change: dict[str, Any], field: str
) -> None:
    conversation = await desk.ask("Shipping?")
    with pytest.raises(InvalidInput) as refused:
        await desk.change(conversation, **change)
    assert refused.value.field == field
    assert (await desk.listed())[0].labels == ()


async def test_many_are_changed_all_or_none(desk: Desk) -> None:
    mine = [await desk.ask("Shipping?"), await desk.ask("Prices?")]
    were, changed = await desk.inbox.change(desk.actor, desk.agent, mine, CLOSED)
    assert [entry.conversation.id for entry in changed] == mine
    assert [entry.conversation.is_closed for entry in (*were, *changed)] == [False, False, True, True]
    await desk.inbox.change(desk.actor, desk.agent, mine, ConversationChange(state=ConversationState.OPEN))
    with desk.record.writing() as tx:
        other = AgentRecords(tx).create(desk.actor.workspace_id, AgentConfig(name="Other"))
    for agent, named in ((desk.agent, [*mine, uuid4()]), (other.id, mine), (uuid4(), mine)):
        with pytest.raises(NotFound):
            await desk.inbox.change(desk.actor, agent, named, CLOSED)
    for named in ([], [mine[0], mine[0]], [uuid4() for _ in range(MAX_AT_ONCE + 1)]):
        with pytest.raises(InvalidInput, match="conversation_ids"):
            await desk.inbox.change(desk.actor, desk.agent, named, CLOSED)
    assert await desk.found(state=ConversationState.CLOSED) == []


async def test_one_goes_through_a_list_in_both_directions(desk: Desk) -> None:
    first, second = await desk.ask("One?"), await desk.ask("Two?", rating="up")
    third, fourth = await desk.ask("Three?", rating="up"), await desk.ask("Four?", rating="up")
    liked = ConversationFilter(rating="up")

    async def beside(conversation: UUID, only: ConversationFilter) -> Neighbours:
        return await desk.review.neighbours(desk.actor, conversation, only)

    assert await beside(third, liked) == Neighbours(fourth, second)
    assert await beside(fourth, liked) == Neighbours(None, third)
    assert await beside(second, liked) == Neighbours(third, None)
    assert await beside(second, ConversationFilter()) == Neighbours(third, first)
    await desk.inbox.change(desk.actor, desk.agent, [third], CLOSED)
    is_open = ConversationFilter(state=ConversationState.OPEN)
    assert await beside(third, is_open) == Neighbours(fourth, second), "though it is no longer in that list"


async def test_labels_are_erased_with_their_conversation(desk: Desk) -> None:
    conversation = await desk.ask("Shipping?")
    await desk.change(conversation, add_labels=("VIP",), assignee=BOB)
    with desk.record.writing() as tx:
        VisitorRecords(tx).erase(desk.actor.workspace_id, desk.sessions["Shipping?"].visitor_id)
        assert tx.connection.scalar(select(func.count()).select_from(CONVERSATION_LABELS)) == 0
