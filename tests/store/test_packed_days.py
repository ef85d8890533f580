"""Figures by packed days are those that the record gives, whatever happened to it before, between and after."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, func, select

from app.agents.records import AgentRecords
from app.agents.token_budget import UNLIMITED
from app.conversations.privacy.records import RetentionRecords, VisitorRecords
from app.conversations.privacy.rights import RetentionPeriod
from app.conversations.records.packed_days import PACKED_DAYS, PACKED_UNTIL, Kind, PackedDayRecords
from app.conversations.records.turns import TurnRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import READ, Actor
from app.core.costs import TokenPrices
from app.core.turn import AnsweredBy, Citation, GapReason, TurnRequest, TurnState, VisitorSession
from app.quality.quality import Quality, TurnCounts
from app.quality.quality_review import QualityReview
from app.quality.records.quality import TurnArrayRecords
from app.reports.records.topics import TopicRecords
from app.reports.report import Report, TopicPlace
from app.reports.reports import DayPacking, Reports
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import FEEDBACK, TURNS
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.visitors import new_agent, visitor_of
from tests.store.sample_rows import OWNER, an_end, an_id, ask

HOUR = 3600
ENDS = (
    {"language": "de", "first_token_ms": 300},
    {"answered_by": AnsweredBy.CURATED, "language": "en"},
    {"gap": GapReason.LOW_CONFIDENCE, "citations": ()},
    {"answered_by": AnsweredBy.HANDOFF},
    {"state": TurnState.FAILED, "citations": ()},
    {"answered_by": AnsweredBy.SMALL_TALK},
    {"first_token_ms": 900, "citations": (Citation(1, "https://docs.example/a#b", "B", None),)},
)
PAGES = ("https://docs.example/a?b", "https://docs.example/a#c", "")
ZONES = ("UTC", "Asia/Kathmandu", "Pacific/Auckland", "America/St_Johns")
NUMBERS = st.integers(0, 30)
# What is done, and two numbers that say to what.
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "ask",
                "ask",
                "begin",
                "end",
                "cut",
                "wait",
                "wait",
                "rate",
                "place",
                "pack",
                "erase visitor",
                "erase conversation",
                "erase old",
                "forget topics",
            ]
        ),
        NUMBERS,
        NUMBERS,
    ),
    min_size=10,
    max_size=40,
)


@dataclass
class History:
    """What an agent was asked. Each step does something to it, where there is something to do it to."""

    record: SystemOfRecord
    clock: FixedClock
    workspace_id: UUID
    agent_id: UUID
    sessions: list[VisitorSession] = field(default_factory=list)
    turns: list[tuple[VisitorSession, UUID]] = field(default_factory=list)
    running: list[UUID] = field(default_factory=list)

    @property
    def actor(self) -> Actor:
        return Actor(self.workspace_id, "ann", frozenset((READ,)))

    async def play(self, steps: Sequence[tuple[str, int, int]]) -> None:
        for step, one, other in steps:
            match step:
                case "wait":
                    self.clock.advance((one + 1) * 2 * HOUR)
                case "pack":
                    await self.pack()
                case _:
                    await self.change(step, one, other)

    async def change(self, step: str, one: int, other: int) -> None:
        if step in ("ask", "begin") and one % 4 >= len(self.sessions):
            self.sessions.append(await visitor_of(self.record, self.workspace_id, self.agent_id))
        session = self.sessions[one % 4 % len(self.sessions)] if self.sessions else None
        own = [turn for turn in self.turns if self.is_there(turn[1])]
        with self.record.writing() as tx:
            match step:
                case "ask" | "begin" if session is not None and self.is_free(session):
                    asked = TurnRequest(an_id(), f"What of {other}?", PAGES[other % len(PAGES)])
                    TurnRecords(tx).begin(session, asked, 1, OWNER)
                    self.turns.append((session, asked.turn_id))
                    if step == "begin":
                        self.running.append(asked.turn_id)
                    else:
                        TurnRecords(tx).finish(asked.turn_id, an_end(**ENDS[other % len(ENDS)]))
                case "end" if late := [turn for turn in self.running if self.is_there(turn)]:
                    TurnRecords(tx).finish(late[one % len(late)], an_end(**ENDS[other % len(ENDS)]))
                case "cut":
                    TurnRecords(tx).cut_orphans(())
                case "rate" if own:
                    TurnRecords(tx).feedback(*own[one % len(own)], ("up", "down")[other % 2], "")
                case "place":
                    waiting = [each for each in TopicRecords(tx).waiting(100) if each.agent_id == self.agent_id]
                    known = TopicRecords(tx).places(self.agent_id, 10)
                    place = known[other % len(known)] if known and one % 2 else TopicPlace((1.0,), None, None)
                    place.turns = [(each.turn_id, "k" * 64) for each in waiting[: other + 1]]
                    TopicRecords(tx).place(self.agent_id, "a model", [place])
                case "forget topics" if one < 10:
                    TopicRecords(tx).forget_topics_but("another model")
                case "erase visitor" if session is not None:
                    VisitorRecords(tx).erase(self.workspace_id, session.visitor_id)
                    self.sessions.remove(session)
                case "erase conversation" if session is not None:
                    VisitorRecords(tx).erase_conversation(self.workspace_id, session.conversation_id)
                    self.sessions.remove(session)
                case "erase old":
                    before = self.clock.now() - timedelta(hours=8 * one)
                    RetentionRecords(tx).erase(RetentionPeriod(self.agent_id, self.workspace_id, 1), before, other)
                    self.sessions.clear()

    def is_there(self, turn_id: UUID) -> bool:
        with self.record.reading() as tx:
            return tx.connection.scalar(select(TURNS.c.id).where(TURNS.c.id == turn_id)) is not None

    def is_free(self, session: VisitorSession) -> bool:
        """No question of it is being answered."""
        own = TURNS.c.conversation_id == session.conversation_id
        with self.record.reading() as tx:
            return tx.connection.scalar(select(TURNS.c.id).where(own, TURNS.c.state == "running")) is None

    async def pack(self) -> int:
        packed = 0
        while count := await DayPacking(self.record, self.clock).pack():
            packed += count
        return packed

    def unpack(self) -> None:
        """As it is before a worker has seen the record."""
        with self.record.writing() as tx:
            tx.connection.execute(delete(PACKED_DAYS))
            tx.connection.execute(delete(PACKED_UNTIL))

    def packed(self) -> dict[tuple[Kind, date], bool]:
        """The rows, and which of them are up to date."""
        with self.record.reading() as tx:
            rows = tx.connection.execute(select(PACKED_DAYS).where(PACKED_DAYS.c.agent_id == self.agent_id)).all()
        return {(Kind(row.kind), row.day): row.content is not None for row in rows}

    async def figures(self, zone: str = "UTC", days: int = 90) -> tuple[Report, Quality]:
        reports = Reports(self.record, self.clock, TokenBudgets(self.record, TokenPrices(), UNLIMITED))
        local, last = ZoneInfo(zone), self.clock.now().astimezone(ZoneInfo(zone)).date()
        first = last - timedelta(days=days - 1)
        report = await reports.report(self.actor, local, first, last, self.agent_id)
        return report, await QualityReview(self.record, self.clock).quality(self.actor, self.agent_id, min(days, 90))


async def a_history(record: SystemOfRecord, clock: FixedClock) -> History:
    agent = new_agent(record)
    return History(record, clock, agent.workspace_id, agent.id)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, zone=st.sampled_from(ZONES), days=st.sampled_from((1, 3, 8, 90)))
async def test_packed_days_say_what_the_record_says(
    record: SystemOfRecord, clock: FixedClock, steps: Sequence[tuple[str, int, int]], zone: str, days: int
) -> None:
    history = await a_history(record, clock)
    await history.play(steps)
    found = await history.figures(zone, days)
    await history.pack()
    packed = await history.figures(zone, days)
    history.unpack()
    counted = await history.figures(zone, days)
    assert found == counted
    assert packed == counted
    with record.writing() as tx:  # the next example's worker need not look at it
        AgentRecords(tx).delete(history.workspace_id, history.agent_id)


async def test_days_that_are_over_are_read_and_not_counted_again(record: SystemOfRecord, clock: FixedClock) -> None:
    history = await a_history(record, clock)
    session = await visitor_of(record, history.workspace_id, history.agent_id)
    turn = await ask(record, session)
    clock.advance(14 * HOUR)
    assert await history.pack() == 0, "the clocks of others may say that it is yesterday"
    clock.advance(HOUR)
    assert await history.pack() == len(Kind)
    assert await history.pack() == 0
    with record.writing() as tx:  # behind everybody's back, which shows where figures come from
        tx.connection.execute(FEEDBACK.insert().values(_a_thumb(history.agent_id, turn, clock)))
    report, _ = await history.figures()
    assert report.now.counts == TurnCounts(1, 1)


async def test_a_day_that_changes_while_it_is_counted_is_counted_again(
    record: SystemOfRecord, clock: FixedClock
) -> None:
    history = await a_history(record, clock)
    session = await visitor_of(record, history.workspace_id, history.agent_id)
    turn, day = await ask(record, session), clock.now().date()
    clock.advance(48 * HOUR)
    with record.writing() as tx:
        PackedDayRecords(tx).go_on_to(history.agent_id, day)
        [counting] = [each for each in PackedDayRecords(tx).outdated(day, 10) if each.kind is Kind.TURNS]
        content = TurnArrayRecords(tx).pack(history.agent_id, day)
    with record.writing() as tx:
        TurnRecords(tx).feedback(session, turn, "up", "")
    with record.writing() as tx:
        PackedDayRecords(tx).keep(counting, content)
    assert not history.packed()[Kind.TURNS, day]
    await history.pack()
    report, _ = await history.figures()
    assert (history.packed()[Kind.TURNS, day], report.now.counts.thumbs_up) == (True, 1)


async def test_a_day_that_is_not_looked_at_yet_is_counted_once_it_was_changed(
    record: SystemOfRecord, clock: FixedClock
) -> None:
    """Its row is written with the change, so that a worker which has counted meanwhile finds it."""
    history = await a_history(record, clock)
    session = await visitor_of(record, history.workspace_id, history.agent_id)
    turn, day = await ask(record, session), clock.now().date()
    clock.advance(24 * HOUR)
    with record.writing() as tx:
        TurnRecords(tx).feedback(session, turn, "up", "")
    assert history.packed() == dict.fromkeys([(kind, day) for kind in Kind], False)


async def test_what_is_erased_leaves_packed_days_at_once(record: SystemOfRecord, clock: FixedClock) -> None:
    history = await a_history(record, clock)
    session = await visitor_of(record, history.workspace_id, history.agent_id)
    await ask(record, session)
    clock.advance(48 * HOUR)
    await history.pack()
    with record.writing() as tx:
        VisitorRecords(tx).erase(history.workspace_id, session.visitor_id)
    assert set(history.packed().values()) == {False}
    await history.pack()
    assert history.packed() == {}, "nothing is left to be counted"


async def test_todays_questions_write_no_row(record: SystemOfRecord, clock: FixedClock) -> None:
    history = await a_history(record, clock)
    session = await visitor_of(record, history.workspace_id, history.agent_id)
    turn = await ask(record, session)
    with record.writing() as tx:
        TurnRecords(tx).feedback(session, turn, "up", "")
    with record.reading() as tx:
        assert tx.connection.scalar(select(func.count()).select_from(PACKED_DAYS)) == 0


def _a_thumb(agent_id: UUID, turn_id: UUID, clock: FixedClock) -> dict[str, object]:
    now = clock.now()
    return {
        "id": an_id(),
        "turn_id": turn_id,
        "agent_id": agent_id,
        "rating": "up",
        "comment": "",
        "created_at": now,
        "updated_at": now,
    }
