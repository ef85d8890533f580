"""A conversation in which a person was asked for is handed over, on the overview, in reports and in the inbox."""

from datetime import date
from uuid import UUID

import pytest

from app.agents.token_budget import UNLIMITED
from app.conversations.conversation import ConversationFilter, Outcome
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.costs import TokenPrices
from app.core.list_page import PageRequest
from app.core.turn import AnsweredBy, VisitorSession
from app.overview.overview import Overviews
from app.quality.quality import TurnCounts
from app.reports.reports import DayPacking
from tests.reports.test_reports import DAY, HOUR, Workspace
from tests.reports.test_reports import workspace as workspace
from tests.store.sample_rows import ask

TODAY, TOMORROW = date(2026, 3, 20), date(2026, 3, 21)


def call(workspace: Workspace, visitor: VisitorSession) -> None:
    """By the button."""
    with workspace.record.writing() as tx:
        LiveChatRecords(tx).ask(visitor)


def listed(workspace: Workspace, outcome: Outcome) -> set[UUID]:
    with workspace.record.reading() as tx:
        found = InboxRecords(tx).page(workspace.agent, PageRequest(50), ConversationFilter(outcome=outcome))
    return {entry.conversation.id for entry in found.items}


async def counted(workspace: Workspace, day: date = TODAY) -> TurnCounts:
    """The same on the overview and in the report."""
    report = (await workspace.report(day, day)).now.counts
    overviews = Overviews(workspace.record, workspace.clock, TokenBudgets(workspace.record, TokenPrices(), UNLIMITED))
    assert (await overviews.overview(workspace.actor)).week == report
    return report


async def test_a_question_before_the_button_was_not_answered_without_a_person(workspace: Workspace) -> None:
    visitor, other = await workspace.visitor(), await workspace.visitor()
    await ask(workspace.record, visitor, "Do you ship?")
    await ask(workspace.record, visitor, "To Malta?")
    await ask(workspace.record, other, "Do you ship?")
    call(workspace, visitor)

    counts = await counted(workspace)

    assert counts == TurnCounts(3, answered=2, handed_over=1)
    assert counts.unaided_share == pytest.approx(2 / 3)
    assert listed(workspace, Outcome.HANDED_OVER) == {visitor.conversation_id}


async def test_a_person_may_be_asked_for_before_any_question(workspace: Workspace) -> None:
    visitor = await workspace.visitor()
    call(workspace, visitor)
    assert await counted(workspace) == TurnCounts(1, handed_over=1)
    assert listed(workspace, Outcome.HANDED_OVER) == {visitor.conversation_id}


async def test_a_conversation_is_handed_over_once(workspace: Workspace) -> None:
    visitor = await workspace.visitor()
    for _ in range(2):
        await ask(workspace.record, visitor, "A person, please", answered_by=AnsweredBy.HANDOFF)
        call(workspace, visitor)
        with workspace.record.writing() as tx:
            chat = LiveChatRecords(tx).own(visitor, to_change=True)
            LiveChatRecords(tx).keep(chat.ended(workspace.clock.now()))
    assert await counted(workspace) == TurnCounts(1, handed_over=1)


async def test_a_day_that_was_counted_is_counted_again(workspace: Workspace) -> None:
    visitor = await workspace.visitor()
    await ask(workspace.record, visitor, "To Malta?")
    workspace.clock.advance(DAY + 4 * HOUR)
    while await DayPacking(workspace.record, workspace.clock).pack():
        pass

    call(workspace, visitor)

    assert (await workspace.report(TODAY, TODAY)).now.counts == TurnCounts(1, handed_over=1)
    while await DayPacking(workspace.record, workspace.clock).pack():
        pass
    assert (await workspace.report(TODAY, TOMORROW)).now.counts == TurnCounts(1, handed_over=1)
