"""A report, asked of either database."""

from datetime import date
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import delete

from app.agents.token_budget import UNLIMITED
from app.conversations.records.turns import TurnRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import READ, Actor
from app.core.costs import TokenPrices
from app.core.turn import TokenUsage, TurnRequest, VisitorSession
from app.quality.quality import DayQuality, TurnCounts
from app.quality.records.quality import QualityRecords
from app.reports.records.topics import TopicRecords
from app.reports.report import TopicPlace
from app.reports.reports import Reports
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import TURNS
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import OWNER, an_end, an_id, ask


@pytest.mark.parametrize(
    ("zone", "hour", "day"),
    [
        ("UTC", 12, date(2026, 1, 1)),
        ("Asia/Kathmandu", 17, date(2026, 1, 1)),
        ("Pacific/Auckland", 1, date(2026, 1, 2)),
    ],
)
async def test_it_counts_by_the_clocks_of_its_zone(
    record: SystemOfRecord,
    clock: FixedClock,
    workspace_id: UUID,
    session: VisitorSession,
    zone: str,
    hour: int,
    day: date,
) -> None:
    request = TurnRequest(an_id(), "Do you ship?", "https://docs.example/a?b#c")
    with record.writing() as tx:
        TurnRecords(tx).begin(session, request, 1, OWNER)
        end = an_end(language="en", first_token_ms=200, usage=TokenUsage(10, 2, "m"))
        TurnRecords(tx).finish(request.turn_id, end)
        TurnRecords(tx).feedback(session, request.turn_id, "up", "")
    actor = Actor(workspace_id, "ann", frozenset((READ,)))
    report = await Reports(record, clock, TokenBudgets(record, TokenPrices(), UNLIMITED)).report(
        actor, ZoneInfo(zone), day, day
    )
    counts = TurnCounts(1, 1, thumbs_up=1)
    assert (report.now.counts, report.steps[0].counts, report.hours[hour]) == (counts, counts, counts)
    assert [(part.key, part.counts) for part in report.languages] == [("en", counts)]
    assert [(part.key, part.counts) for part in report.pages] == [("https://docs.example/a", counts)]
    assert (report.now.conversations, report.now.visitors, report.now.first_word_p50) == (1, 1, 200)
    assert (report.now.spent.calls, report.now.spent.usage.tokens) == (1, 12)


async def test_days_are_those_of_utc(record: SystemOfRecord, clock: FixedClock, session: VisitorSession) -> None:
    turn = await ask(record, session, first_token_ms=300)
    clock.advance(12 * 3600)
    await ask(record, session, first_token_ms=500)
    await ask(record, session)
    with record.writing() as tx:
        TurnRecords(tx).feedback(session, turn, "down", "")
        days = QualityRecords(tx).days([session.agent_id], date(2026, 1, 1), 2)[session.agent_id]
    assert days == [
        DayQuality(1, 1, thumbs_down=1, day=date(2026, 1, 1), first_token_p50=300, first_token_p95=300),
        DayQuality(2, 2, day=date(2026, 1, 2), first_token_p50=500, first_token_p95=500),
    ]


async def test_questions_come_to_topics_and_topics_go_with_their_first_question(
    record: SystemOfRecord, clock: FixedClock, workspace_id: UUID, session: VisitorSession
) -> None:
    first = await ask(record, session, "Do you ship?")
    clock.advance(1)
    second = await ask(record, session, "Is it sent?")
    with record.writing() as tx:
        waiting = TopicRecords(tx).waiting(10)
        assert [each.turn_id for each in waiting] == [first, second]
        place = TopicPlace((0.6, 0.8), None, None, [(first, "a" * 64), (second, "b" * 64)])
        assert TopicRecords(tx).place(session.agent_id, "a model", [place]) == 2
        assert TopicRecords(tx).place(session.agent_id, "a model", [place]) == 0, "they wait no longer"
    with record.reading() as tx:
        [stored] = TopicRecords(tx).places(session.agent_id, 10)
        assert stored.meaning == pytest.approx((0.6, 0.8), abs=0.8 / 254)  # a byte for each coordinate
        assert stored.topic_id is not None
        assert TopicRecords(tx).wordings(stored.topic_id, 10) == ["Do you ship?", "Is it sent?"]
        assert TopicRecords(tx).wordings(stored.topic_id, 1) == ["Do you ship?"]
        assert TopicRecords(tx).known(session.agent_id, ["b" * 64, "c" * 64]) == {"b" * 64: stored.topic_id}
    actor, day = Actor(workspace_id, "ann", frozenset((READ,))), date(2026, 1, 1)
    report = await Reports(record, clock, TokenBudgets(record, TokenPrices(), UNLIMITED)).report(
        actor, ZoneInfo("UTC"), day, day
    )
    [topic] = report.topics
    assert (topic.question, topic.counts, report.in_no_topic) == ("Do you ship?", TurnCounts(2, 2), 0)
    with record.writing() as tx:
        tx.connection.execute(delete(TURNS).where(TURNS.c.id == first))
    with record.reading() as tx:
        assert TopicRecords(tx).places(session.agent_id, 10) == []
        assert [each.turn_id for each in TopicRecords(tx).waiting(10)] == [second]
