"""A report says what the record's rows do, of its own days and agents alone, and what the overview says of them."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select, text

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.agents.token_budget import UNLIMITED
from app.conversations.records.turns import TurnRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import READ, Actor
from app.core.costs import TokenPrices
from app.core.errors import NotFound
from app.core.turn import AnsweredBy, GapReason, TokenUsage, TurnRequest, TurnState, VisitorSession
from app.overview.overview import Overviews
from app.quality.quality import TurnCounts, total
from app.reports.report import Report
from app.reports.reports import DayPacking, Reports
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import FEEDBACK, TURNS
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import visitor_of
from tests.doubles.workspaces import another_workspace
from tests.store.sample_rows import OWNER, an_end, an_id, ask

HOUR, DAY = 3600, 24 * 3600
LOW = GapReason.LOW_CONFIDENCE
UTC_ZONE, KATHMANDU, BERLIN = map(ZoneInfo, ("UTC", "Asia/Kathmandu", "Europe/Berlin"))
ST_JOHNS, LORD_HOWE = map(ZoneInfo, ("America/St_Johns", "Australia/Lord_Howe"))  # half hours, behind and ahead of UTC
PRICES = TokenPrices(prompt=2, cached=1, answer=10)


@dataclass
class Workspace:
    record: SystemOfRecord
    clock: FixedClock
    actor: Actor
    agent: UUID

    async def visitor(self, agent: UUID | None = None) -> VisitorSession:
        return await visitor_of(self.record, self.actor.workspace_id, agent or self.agent)

    async def report(self, first: date, last: date, zone: ZoneInfo = UTC_ZONE, agent: UUID | None = None) -> Report:
        reports = Reports(self.record, self.clock, TokenBudgets(self.record, PRICES, UNLIMITED))
        return await reports.report(self.actor, zone, first, last, agent)

    def agent_with(self, config: AgentConfig) -> UUID:
        with self.record.writing() as tx:
            agent = AgentRecords(tx).create(self.actor.workspace_id, config)
            AgentRecords(tx).publish(self.actor.workspace_id, agent.id)
        return agent.id

    def rate(self, session: VisitorSession, turn: UUID, rating: str) -> None:
        with self.record.writing() as tx:
            TurnRecords(tx).feedback(session, turn, rating, "")


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Workspace]:
    clock = FixedClock(datetime(2026, 3, 20, 12, tzinfo=UTC))
    async with temporary_record(tmp_path, clock) as record:
        other = await another_workspace(tmp_path)
        one = Workspace(record, clock, Actor(other, "ann@example.com", frozenset((READ,))), UUID(int=0))
        yield replace(one, agent=one.agent_with(AgentConfig(name="Docs", retention_days=90)))


async def ask_for_weeks(workspace: Workspace) -> None:
    """Over the change of the clocks in Europe, every five hours something that ends in another way."""
    session, ends = (
        await workspace.visitor(),
        (
            {"answered_by": AnsweredBy.CURATED},
            {"gap": LOW},
            {"answered_by": AnsweredBy.HANDOFF},
            {"state": TurnState.FAILED},
            {"answered_by": AnsweredBy.SMALL_TALK},
            {"answered_by": AnsweredBy.FALLBACK},
            {"language": "de", "first_token_ms": 300, "usage": TokenUsage(1000, 100, "m", 500)},
            {"language": "en", "first_token_ms": 900},
        ),
    )
    for number in range(90):
        end = ends[number % len(ends)]
        # A conversation is handed over once.
        asking = await workspace.visitor() if end.get("answered_by") is AnsweredBy.HANDOFF else session
        turn = await ask(workspace.record, asking, f"{number}?", **end)
        if number % 3 == 0:
            workspace.rate(asking, turn, "up" if number % 2 else "down")
        workspace.clock.advance(5 * HOUR)


def ranks(times: Sequence[int | None]) -> tuple[int | None, int | None]:
    """By the nearest rank, of those that were timed."""
    ordered = sorted(ms for ms in times if ms is not None)
    places = [min(len(ordered) - 1, int(len(ordered) * share)) for share in (0.5, 0.95)]
    return (ordered[places[0]], ordered[places[1]]) if ordered else (None, None)


@pytest.mark.parametrize("zone", [UTC_ZONE, KATHMANDU, BERLIN, ST_JOHNS, LORD_HOWE], ids=str)
async def test_its_figures_are_those_of_the_rows(workspace: Workspace, zone: ZoneInfo) -> None:
    await ask_for_weeks(workspace)
    first, last = date(2026, 3, 22), date(2026, 4, 4)
    report = await workspace.report(first, last, zone)
    with workspace.record.reading() as tx:
        rows = tx.connection.execute(
            select(TURNS, FEEDBACK.c.rating).outerjoin(FEEDBACK, FEEDBACK.c.turn_id == TURNS.c.id)
        ).all()
    local = [(row, row.created_at.astimezone(zone)) for row in rows if row.answered_by != "small_talk"]
    inside = [(row, at) for row, at in local if first <= at.date() <= last]
    assert len(inside) > 50
    assert report.now.counts.turns == len(inside)
    assert report.now.counts.failed == sum(row.state == "failed" for row, _ in inside)
    assert report.now.counts.handed_over == sum(row.answered_by == "handoff" for row, _ in inside)
    assert report.now.counts.thumbs_up == sum(row.rating == "up" for row, _ in inside)
    assert report.now.counts.thumbs_down == sum(row.rating == "down" for row, _ in inside)
    assert report.now.curated == sum(row.answered_by == "curated" for row, _ in inside)
    by_day = Counter(at.date() for _, at in inside)
    assert [step.counts.turns for step in report.steps] == [by_day[step.days.first] for step in report.steps]
    assert [each.turns for each in report.hours] == [Counter(at.hour for _, at in inside)[hour] for hour in range(24)]
    weekdays = Counter(at.weekday() for _, at in inside)
    assert [each.turns for each in report.weekdays] == [weekdays[day] for day in range(7)]
    for step in report.steps:
        of_day = [row.first_token_ms for row, at in inside if at.date() == step.days.first]
        assert (step.first_word_p50, step.first_word_p95) == ranks(of_day)
    assert (report.now.first_word_p50, report.now.first_word_p95) == ranks([row.first_token_ms for row, _ in inside])
    languages = Counter(row.language or "" for row, _ in inside)
    assert {part.key: part.counts.turns for part in report.languages} == languages
    liked = Counter(row.language or "" for row, _ in inside if row.rating == "up")
    assert {part.key: part.counts.thumbs_up for part in report.languages} == {key: liked[key] for key in languages}
    earlier = [row for row, at in local if date(2026, 3, 8) <= at.date() < first]
    assert report.before.counts.turns == len(earlier) > 0
    assert report.before.counts.thumbs_down == sum(row.rating == "down" for row in earlier) > 0
    assert (report.before.first_word_p50, report.before.first_word_p95) == ranks(
        [row.first_token_ms for row in earlier]
    )


async def test_every_part_adds_up_to_the_whole(workspace: Workspace) -> None:
    await ask_for_weeks(workspace)
    shop = workspace.agent_with(AgentConfig(name="Shop"))
    await ask(workspace.record, await workspace.visitor(shop), "Here?")
    report = await workspace.report(date(2026, 3, 20), date(2026, 4, 30), BERLIN)
    whole = report.now.counts
    assert total(step.counts for step in report.steps) == total(report.hours) == total(report.weekdays) == whole
    assert total(agent.counts for agent in report.agents) == whole
    assert [(agent.name, agent.counts.turns) for agent in report.agents] == [("Docs", 79), ("Shop", 1)]
    assert total(part.counts for part in report.languages) == total(part.counts for part in report.pages) == whole
    assert {part.key: part.counts.turns for part in report.languages} == {"": 58, "de": 11, "en": 11}
    only = await workspace.report(date(2026, 3, 20), date(2026, 4, 30), BERLIN, shop)
    assert (only.now.counts, only.now.conversations, only.now.visitors) == (TurnCounts(1, 1), 1, 1)


async def test_the_overview_says_the_same_of_the_same_days(workspace: Workspace) -> None:
    await ask_for_weeks(workspace)
    today = workspace.clock.now().date()
    report = await workspace.report(today - timedelta(days=6), today)
    budgets = TokenBudgets(workspace.record, TokenPrices(), UNLIMITED)
    overview = await Overviews(workspace.record, workspace.clock, budgets).overview(workspace.actor)
    assert [step.counts for step in report.steps] == [day.counts for day in overview.days]
    assert (report.now.counts, report.before.counts) == (overview.week, overview.week_before)
    assert [agent.counts for agent in report.agents] == [agent.week for agent in overview.agents]


async def test_costs_are_those_of_the_month(workspace: Workspace) -> None:
    await ask_for_weeks(workspace)
    workspace.clock.advance(-30 * DAY)  # to a day of March
    with workspace.record.writing() as tx:
        TurnRecords(tx).charge(workspace.agent, "suggestion", TokenUsage(10, 5, "m"))
    report = await workspace.report(date(2026, 3, 1), date(2026, 3, 31))
    budgets = TokenBudgets(workspace.record, PRICES, UNLIMITED)
    [month] = [each for each in await budgets.months(workspace.actor, workspace.agent) if each.month == "2026-03"]
    spent = report.now.spent
    assert (spent.calls, spent.usage, spent.cost) == (month.calls, month.usage, month.cost)
    assert sum(step.spent.calls for step in report.steps) == month.calls > 1


async def test_first_words_by_the_nearest_rank(workspace: Workspace) -> None:
    session = await workspace.visitor()
    for ms in range(200, 220):
        await ask(workspace.record, session, f"{ms}?", first_token_ms=ms)
    report = await workspace.report(date(2026, 3, 19), date(2026, 3, 20))
    assert [(step.first_word_p50, step.first_word_p95) for step in report.steps] == [(None, None), (210, 219)]
    assert (report.now.first_word_p50, report.now.first_word_p95) == (210, 219)


async def test_a_page_is_one_whatever_stands_behind_its_address(workspace: Workspace) -> None:
    session = await workspace.visitor()
    for url in ("/a?utm=1", "/a#plan", "/a#x?y", "/b"):
        request = TurnRequest(an_id(), url, f"https://docs.example{url}")
        with workspace.record.writing() as tx:
            TurnRecords(tx).begin(session, request, 1, OWNER)
            TurnRecords(tx).finish(request.turn_id, an_end())
    report = await workspace.report(date(2026, 3, 20), date(2026, 3, 20))
    assert [(page.key, page.counts.turns) for page in report.pages] == [
        ("https://docs.example/a", 3),
        ("https://docs.example/b", 1),
    ]


async def test_shares_are_of_what_was_settled() -> None:
    counts = TurnCounts(10, answered=4, abstained=2, failed=2, handed_over=2, thumbs_up=3, thumbs_down=1)
    assert (counts.unaided_share, counts.satisfaction) == (0.5, 0.75)
    assert (TurnCounts(1, failed=1).unaided_share, TurnCounts().satisfaction) == (None, None)


async def test_nothing_of_another_workspace_is_in_it(workspace: Workspace) -> None:
    await ask(workspace.record, await workspace.visitor(), "Here?")
    stranger = replace(workspace, actor=replace(workspace.actor, workspace_id=UUID(int=9)))
    day = date(2026, 3, 20)
    report = await stranger.report(day, day)
    assert (report.now.counts, report.agents, report.kept_days) == (TurnCounts(), [], 0)
    with pytest.raises(NotFound):
        await stranger.report(day, day, agent=workspace.agent)
    assert (await workspace.report(day, day)).kept_days == 90


async def test_no_turn_of_packed_days_is_read(workspace: Workspace) -> None:
    """Of a large record each row would be a page of the file to read. Of usage the index has all."""
    await ask_for_weeks(workspace)
    while await DayPacking(workspace.record, workspace.clock).pack():
        pass
    said: list[str] = []
    with workspace.record.reading() as tx:
        sqlite: Any = tx.connection.connection
        sqlite.set_trace_callback(said.append)
    report = await workspace.report(date(2026, 3, 20), date(2026, 4, 6))
    assert report.now.counts.turns > 0
    assert not [each for each in said if "FROM turns" in each or "FROM topic_questions" in each]
    usages = {each for each in said if "FROM usage" in each}
    with workspace.record.reading() as tx:
        plans = [tx.connection.execute(text(f"EXPLAIN QUERY PLAN {usage}")).first() for usage in sorted(usages)]
    assert len(plans) == 2
    assert all(plan is not None and "COVERING INDEX ix_usage_figures" in plan[3] for plan in plans)
