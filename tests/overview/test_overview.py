"""A workspace at a glance says what the record holds, of that workspace alone."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.agents.token_budget import UNLIMITED
from app.conversations.conversation import RESUME_WITHIN
from app.conversations.records.turns import TurnRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import READ, WRITE, Actor
from app.core.costs import TokenPrices
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.core.turn import AnsweredBy, GapReason, GapState, TokenUsage, TurnState, VisitorSession
from app.gaps.records.gaps import GapRecords
from app.gaps.records.triage import GapTriageRecords
from app.kit.cache import MemoryCache
from app.live_chat.live_chats import LiveChats, LiveSigns
from app.overview.overview import Change, ChangeKind, Overview, Overviews
from app.quality.quality import TurnCounts
from app.sources import kinds
from app.sources.deletions.deletion import DeletedKind
from app.sources.deletions.deletions import Deletions
from app.sources.deletions.records import DeletionRecords
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import RunState, Source, SourceConfig
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.recording_history import RecordingHistory
from tests.doubles.recording_job_queue import RecordingJobQueue
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import visitor_of
from tests.doubles.workspaces import another_workspace
from tests.store.sample_rows import ask

HOUR, DAY = 3600, 24 * 3600
LOW = GapReason.LOW_CONFIDENCE


@dataclass
class Workspace:
    record: SystemOfRecord
    clock: FixedClock
    actor: Actor
    agent: UUID

    async def visitor(self, agent: UUID | None = None) -> VisitorSession:
        return await visitor_of(self.record, self.actor.workspace_id, agent or self.agent)

    async def seen(self) -> Overview:
        return await Overviews(self.record, self.clock, TokenBudgets(self.record, TokenPrices(), UNLIMITED)).overview(
            self.actor
        )

    async def agent_with(self, config: AgentConfig) -> UUID:
        """Published."""
        with self.record.writing() as tx:
            agent = AgentRecords(tx).create(self.actor.workspace_id, config)
            AgentRecords(tx).publish(self.actor.workspace_id, agent.id)
        return agent.id

    async def read_source(self, name: str, state: RunState, reason: str = "") -> Source:
        """The reading of a new source, which ends so."""
        config = SourceConfig(kinds.SITE, name, f"https://{name}.example/")
        source = await self.record.write(lambda tx: SourceRecords(tx).create(self.agent, config))
        await self.read_again(source, state, reason)
        return source

    async def read_again(self, source: Source, state: RunState, reason: str = "", kept_pages: int = 0) -> None:
        with self.record.writing() as tx:
            run = CrawlRunRecords(tx).start_run(self.agent, source.id)
            CrawlRunRecords(tx).set_run_state(run.id, state, reason, kept_pages=kept_pages)

    async def gap(self, question: str) -> UUID:
        page = await self.record.read(lambda tx: GapRecords(tx).page(self.agent, None, PageRequest(200)))
        return next(gap.id for gap in page.items if gap.question == question)


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Workspace]:
    clock = FixedClock(datetime(2026, 1, 1, 23, 0, tzinfo=UTC))
    async with temporary_record(tmp_path, clock) as record:
        other = await another_workspace(tmp_path)
        one = Workspace(
            record, clock, Actor(other, "ann@example.com", frozenset((READ, WRITE)), UUID(int=1)), UUID(int=0)
        )
        yield replace(one, agent=await one.agent_with(AgentConfig(name="Docs", live_chat=True)))


async def test_a_new_workspace_has_nothing_to_tell(workspace: Workspace) -> None:
    seen = await workspace.seen()
    assert [each.agent.draft.name for each in seen.agents] == ["Docs"]
    assert [day.day for day in seen.days] == [date(2025, 12, 26 + number) for number in range(6)] + [date(2026, 1, 1)]
    assert (seen.week, seen.week_before, seen.week.answered_share) == (TurnCounts(), TurnCounts(), None)
    assert (seen.waiting_count, seen.failing, seen.growing, seen.assigned, seen.spent) == (0, [], [], [], [])
    assert seen.unfinished == []


async def test_turns_are_counted_by_the_days_of_utc_for_all_agents_together(workspace: Workspace) -> None:
    shop = await workspace.agent_with(AgentConfig(name="Shop"))
    docs_visitor, shop_visitor = await workspace.visitor(), await workspace.visitor(shop)
    await ask(workspace.record, docs_visitor, "Long ago?")
    workspace.clock.advance(7 * DAY)
    liked = await ask(workspace.record, docs_visitor, "Yesterday?")
    workspace.clock.advance(2 * HOUR)
    await ask(workspace.record, docs_visitor, "Unsure?", gap=LOW)
    await ask(workspace.record, shop_visitor, "Broken?", state=TurnState.FAILED)
    disliked = await ask(workspace.record, shop_visitor, "Here?")
    await ask(workspace.record, shop_visitor, "A person, please", answered_by=AnsweredBy.HANDOFF)
    await ask(workspace.record, shop_visitor, "Thanks!", answered_by=AnsweredBy.SMALL_TALK)
    with workspace.record.writing() as tx:
        TurnRecords(tx).feedback(docs_visitor, liked, "up", "")
        TurnRecords(tx).feedback(shop_visitor, disliked, "down", "")
    seen = await workspace.seen()
    today = TurnCounts(4, answered=1, abstained=1, failed=1, handed_over=1, thumbs_down=1)
    assert seen.today == today
    assert seen.days[-2].counts == TurnCounts(1, answered=1, thumbs_up=1)
    assert seen.week == TurnCounts(5, answered=2, abstained=1, failed=1, handed_over=1, thumbs_up=1, thumbs_down=1)
    assert seen.week.answered_share == pytest.approx(2 / 3)
    assert seen.week_before == TurnCounts(1, answered=1)
    assert [(each.agent.draft.name, each.today.turns, each.week.turns) for each in seen.agents] == [
        ("Docs", 1, 2),
        ("Shop", 3, 3),
    ]


async def test_who_waits_stands_there_until_an_operator_comes_or_nobody_is_there_any_more(workspace: Workspace) -> None:
    chats = LiveChats(workspace.record, workspace.clock, RecordingHistory(), LiveSigns(MemoryCache()))
    first, second = await workspace.visitor(), await workspace.visitor()
    await chats.ask(first)
    workspace.clock.advance(60)
    await chats.ask(second)
    await chats.say(second, uuid4(), "Hello?")
    seen = await workspace.seen()
    assert [each.chat.conversation_id for each in seen.waiting] == [first.conversation_id, second.conversation_id]
    assert seen.waiting_count == 2
    await chats.take_over(workspace.actor, first.conversation_id)
    seen = await workspace.seen()
    assert [each.latest_text for each in seen.waiting] == ["Hello?"]
    workspace.clock.advance(RESUME_WITHIN.total_seconds() + 1)
    assert (await workspace.seen()).waiting_count == 0


async def test_a_source_fails_until_it_is_read_again(workspace: Workspace) -> None:
    workspace.clock.advance(60)
    source = await workspace.read_source("docs", RunState.FAILED, "The site does not answer.")
    await workspace.read_source("news", RunState.FINISHED)
    [failing] = (await workspace.seen()).failing
    assert (failing.source_id, failing.name, failing.stop_reason) == (source.id, "docs", "The site does not answer.")
    workspace.clock.advance(60)
    await workspace.read_again(source, RunState.FINISHED)
    seen = await workspace.seen()
    assert seen.failing == []
    assert [(each.kind, each.words) for each in seen.changes] == [
        (ChangeKind.READ, "docs"),
        (ChangeKind.READ, "news"),
        (ChangeKind.PUBLISHED, "Docs, version 1"),
    ]
    workspace.clock.advance(8 * DAY)
    assert (await workspace.seen()).changes == []


async def test_a_source_that_lost_pages_which_answers_use_needs_attention(workspace: Workspace) -> None:
    source = await workspace.read_source("docs", RunState.FINISHED)
    workspace.clock.advance(60)
    await workspace.read_again(source, RunState.FINISHED, kept_pages=2)
    assert [(each.name, each.kept_pages) for each in (await workspace.seen()).failing] == [("docs", 2)]


async def test_gaps_grow_where_they_are_asked_more_often_than_the_week_before(workspace: Workspace) -> None:
    visitor = await workspace.visitor()
    for question, times in (("Do you ship to Malta?", 1), ("Is there a discount?", 3)):
        for _ in range(times):
            await ask(workspace.record, visitor, question, gap=LOW)
    workspace.clock.advance(8 * DAY)
    for question, times in (("Do you ship to Malta?", 4), ("Is there a discount?", 1), ("Any gift cards?", 1)):
        for _ in range(times):
            await ask(workspace.record, visitor, question, gap=LOW)
    growing = (await workspace.seen()).growing
    assert [(gap.question, gap.this_week, gap.week_before) for gap in growing] == [
        ("Do you ship to Malta?", 4, 1),
        ("Any gift cards?", 1, 0),
    ]
    with workspace.record.writing() as tx:
        GapRecords(tx).set_state(workspace.actor.workspace_id, growing[0].id, GapState.IGNORED, "")
    assert [gap.question for gap in (await workspace.seen()).growing] == ["Any gift cards?"]


async def test_an_open_gap_stands_with_whom_it_is_assigned_to(workspace: Workspace) -> None:
    await ask(workspace.record, await workspace.visitor(), "Do you ship to Malta?", gap=LOW)
    gap = await workspace.gap("Do you ship to Malta?")
    for assignee, expected in (("ben@example.com", []), ("ann@example.com", [gap])):
        with workspace.record.writing() as tx:
            GapTriageRecords(tx).edit(gap, assignee=assignee, note=None)
        assert [each.id for each in (await workspace.seen()).assigned] == expected
    token = replace(workspace, actor=replace(workspace.actor, operator_id=None))
    assert (await token.seen()).assigned == [], "it has a name like ann's address and is somebody else"
    with workspace.record.writing() as tx:
        GapRecords(tx).set_state(workspace.actor.workspace_id, gap, GapState.ANSWERED, "")
    assert (await workspace.seen()).assigned == []


async def test_a_gap_that_was_closed_or_opened_again_is_a_change(workspace: Workspace) -> None:
    await ask(workspace.record, await workspace.visitor(), "Do you ship to Malta?", gap=LOW)
    gap = await workspace.gap("Do you ship to Malta?")
    for state, kind in ((GapState.ANSWERED, ChangeKind.GAP_ANSWERED), (GapState.OPEN, ChangeKind.GAP_REOPENED)):
        workspace.clock.advance(60)
        with workspace.record.writing() as tx:
            GapRecords(tx).set_state(workspace.actor.workspace_id, gap, state, "")
        expected = Change(kind, workspace.clock.now(), workspace.agent, gap, "Do you ship to Malta?")
        assert (await workspace.seen()).changes[0] == expected


async def test_a_budget_stands_with_the_agent_that_has_one(workspace: Workspace) -> None:
    thrifty = await workspace.agent_with(AgentConfig(name="Thrifty", daily_tokens=100))
    assert [each.budget is None for each in (await workspace.seen()).agents] == [True, False]
    await ask(workspace.record, await workspace.visitor(thrifty), usage=TokenUsage(90, 20, "m"))
    seen = await workspace.seen()
    [spent] = seen.spent
    assert (spent.agent.id, spent.budget.used_tokens if spent.budget else None) == (thrifty, 110)
    workspace.clock.advance(HOUR)  # midnight
    assert (await workspace.seen()).spent == []


async def test_a_deletion_that_no_worker_could_finish_is_named_after_an_hour_until_it_is_finished(
    workspace: Workspace,
) -> None:
    jobs = RecordingJobQueue()
    deletions = Deletions(workspace.record, jobs)
    source = await workspace.read_source("docs", RunState.FINISHED)
    deletion = await deletions.delete(workspace.actor, DeletedKind.SOURCE, source.id)
    assert (await workspace.seen()).unfinished == []
    workspace.clock.advance(HOUR + 1)
    assert [each.id for each in (await workspace.seen()).unfinished] == [deletion.id]
    await deletions.finish_again(workspace.actor, deletion.id)
    assert [agent for agent, _ in jobs.deletions] == [workspace.agent] * 2
    assert len(set(jobs.deletions)) == 2, "a queue does what it is asked by one id once"
    await workspace.record.write(lambda tx: DeletionRecords(tx).verify(deletion.id))
    assert (await workspace.seen()).unfinished == []
    await deletions.finish_again(workspace.actor, deletion.id)
    assert len(jobs.deletions) == 2


async def test_another_workspace_sees_nothing_of_it(workspace: Workspace, tmp_path: Path) -> None:
    visitor = await workspace.visitor()
    await ask(workspace.record, visitor, "Do you ship to Malta?", gap=LOW)
    await LiveChats(workspace.record, workspace.clock, RecordingHistory(), LiveSigns(MemoryCache())).ask(visitor)
    source = await workspace.read_source("docs", RunState.FAILED)
    deletions = Deletions(workspace.record, RecordingJobQueue())
    deletion = await deletions.delete(workspace.actor, DeletedKind.SOURCE, source.id)
    workspace.clock.advance(HOUR + 1)
    stranger = Actor(await another_workspace(tmp_path), workspace.actor.name, workspace.actor.scopes)
    theirs = await replace(workspace, actor=stranger).seen()
    assert (theirs.agents, theirs.week, theirs.waiting, theirs.waiting_count) == ([], TurnCounts(), [], 0)
    assert (theirs.failing, theirs.growing, theirs.assigned, theirs.changes) == ([], [], [], [])
    assert theirs.unfinished == []
    with pytest.raises(NotFound):
        await deletions.finish_again(stranger, deletion.id)
