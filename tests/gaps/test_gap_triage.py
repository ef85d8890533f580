"""Operators put gaps in order, and see what is known of one."""

import random
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.conversations.privacy.records import VisitorRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import InvalidInput, NotFound
from app.core.list_page import PageRequest
from app.core.turn import GapReason, GapState, VisitorSession
from app.gaps.gap import Gap, GapFilter, GapOrder, Shortfall
from app.gaps.gap_clustering import GapClustering
from app.gaps.gaps import GapTriage
from app.gaps.records.gaps import GapRecords
from app.kit.language_guesser import LanguageGuesser
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import TURNS
from app.store.tables.gaps import GAP_QUESTIONS, GAPS
from app.workspaces.operator import Operator, Role
from app.workspaces.records.operators import OperatorRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent, visitor_of
from tests.store.sample_rows import ask

DAY = 24 * 3600
SHIP, SEND, PAY = "Do you ship to Malta?", "Is Malta delivered to?", "Can I pay later?"


@dataclass
class Office:
    record: SystemOfRecord
    clock: FixedClock
    triage: GapTriage
    actor: Actor
    agent: UUID

    async def visitor(self) -> VisitorSession:
        return await visitor_of(self.record, self.actor.workspace_id, self.agent)

    async def ask(self, question: str, session: VisitorSession | None = None, **end: Any) -> UUID:
        self.clock.advance(60)
        end = {"gap": GapReason.LOW_CONFIDENCE, "language": "en", **end}
        return await ask(self.record, session or await self.visitor(), question, **end)

    async def gaps(self) -> dict[str, Gap]:
        return await self.record.read(
            lambda tx: {gap.question: gap for gap in GapRecords(tx).page(self.agent, None, PageRequest()).items}
        )

    async def listed(self, order: GapOrder) -> list[str]:
        """Read one a page."""
        questions: list[str] = []
        cursor: str | None = None
        with self.record.reading() as tx:
            while cursor or not questions:
                page = GapRecords(tx).page(self.agent, GapState.OPEN, PageRequest(1, cursor), order=order)
                questions += [gap.question for gap in page.items]
                cursor = page.next_cursor
        return questions

    async def erase(self, session: VisitorSession) -> None:
        await self.record.write(lambda tx: VisitorRecords(tx).erase(self.actor.workspace_id, session.visitor_id))

    async def kept_visitors(self) -> dict[UUID, int]:
        statement = select(GAPS.c.id, GAPS.c.visitors)
        return {
            row.id: row.visitors for row in await self.record.read(lambda tx: tx.connection.execute(statement).all())
        }

    async def counted_visitors(self) -> dict[UUID, int]:
        asked = GAP_QUESTIONS.join(TURNS, TURNS.c.id == GAP_QUESTIONS.c.turn_id)
        visitors = func.count(TURNS.c.visitor_id.distinct()).label("visitors")
        statement = select(GAP_QUESTIONS.c.gap_id, visitors).select_from(asked).group_by(GAP_QUESTIONS.c.gap_id)
        rows = await self.record.read(lambda tx: tx.connection.execute(statement).all())
        return {row.gap_id: row.visitors for row in rows}

    async def merged(self) -> tuple[Gap, UUID]:
        """SHIP and SEND as one gap, and the turn that asked SEND."""
        await self.ask(SHIP)
        turn = await self.ask(SEND)
        gaps = await self.gaps()
        return await self.triage.merge(self.actor, gaps[SHIP].id, [gaps[SEND].id]), turn


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        agent = new_agent(record)
        yield Office(
            record, clock, GapTriage(record), Actor(agent.workspace_id, "ann", frozenset((READ, WRITE))), agent.id
        )


async def test_merged_gaps_count_together_and_go_on_counting(office: Office) -> None:
    gap, _ = await office.merged()
    assert (gap.question, gap.count, list(await office.gaps())) == (SHIP, 2, [SHIP])
    await office.ask(SEND)
    assert (await office.gaps())[SHIP].count == 3


async def test_a_gap_is_merged_with_others_of_its_agent_alone(office: Office) -> None:
    await office.ask(SHIP)
    own = (await office.gaps())[SHIP]
    with office.record.writing() as tx:
        other = AgentRecords(tx).create(office.actor.workspace_id, AgentConfig(name="Shop"))
    office.agent = other.id
    await office.ask(PAY)
    foreign = (await office.gaps())[PAY]
    for others, says in (([own.id], "itself"), ([foreign.id], "different agents"), ([], "1 to 100")):
        with pytest.raises(InvalidInput, match=says):
            await office.triage.merge(office.actor, own.id, others)
    with pytest.raises(NotFound):
        await office.triage.merge(office.actor, own.id, [uuid4()])


async def test_a_wording_leaves_each_time_it_was_asked(office: Office) -> None:
    gap, _ = await office.merged()
    turn = await office.ask(SEND.upper())
    own = await office.triage.split(office.actor, gap.id, turn)
    assert (own.question, own.count) == (SEND.upper(), 2)
    assert (await office.gaps())[SHIP].count == 1
    await office.ask(SEND)
    await office.ask(SHIP)
    assert {question: found.count for question, found in (await office.gaps()).items()} == {SEND: 3, SHIP: 2}


async def test_a_gaps_own_wording_may_leave_too(office: Office) -> None:
    gap, turn = await office.merged()
    first = (await office.triage.view(office.actor, gap.id)).facts.samples[-1]
    own = await office.triage.split(office.actor, gap.id, first.turn_id)
    assert (own.question, own.count) == (SHIP, 1)
    assert (await office.gaps())[SEND].id == gap.id
    with pytest.raises(InvalidInput, match="only one question"):
        await office.triage.split(office.actor, gap.id, turn)
    with pytest.raises(InvalidInput, match="does not belong to the gap"):
        await office.triage.split(office.actor, own.id, turn)


async def test_what_was_split_does_not_join_again_by_itself(office: Office) -> None:
    words, other_order = "lamp Malta ship", "ship lamp Malta"
    await office.ask(words)
    turn = await office.ask(other_order)
    clustering = GapClustering(office.record, HashingEmbedder(), LanguageGuesser())
    await clustering.place()
    [gap] = (await office.gaps()).values()
    assert gap.count == 2
    await office.triage.split(office.actor, gap.id, turn)
    assert await clustering.place() > 0
    assert len(await office.gaps()) == 2


async def test_a_gap_is_assigned_and_noted(office: Office) -> None:
    await office.ask(SHIP)
    gap = (await office.gaps())[SHIP]
    bob = Operator(uuid4(), office.actor.workspace_id, "bob@example.com", Role.EDITOR, office.clock.now())
    await office.record.write(lambda tx: OperatorRecords(tx).add(bob, "hash"))
    told = await office.triage.edit(office.actor, gap.id, bob.email, "Ask the warehouse.")
    assert (told.assignee, told.note) == (bob.email, "Ask the warehouse.")
    with pytest.raises(InvalidInput, match="assignee"):
        await office.triage.edit(office.actor, gap.id, assignee="eve@example.com")
    await office.record.write(lambda tx: OperatorRecords(tx).delete(bob.id))
    told = await office.triage.edit(office.actor, gap.id, bob.email, "Ask the warehouse.")
    assert told.assignee == bob.email, "whoever has left keeps what they had, until somebody else gets it"
    told = await office.triage.edit(office.actor, gap.id, assignee="")
    assert (told.assignee, told.note) == ("", "Ask the warehouse.")


async def test_gaps_are_listed_by_reason_language_and_day(office: Office) -> None:
    await office.ask(SHIP, language="de", gap=GapReason.FAILURE_WORDS)
    wool = "Is it 100%_ wool, or 1000 others?"
    await office.ask(wool, language="fr", gap=GapReason.THUMBS_DOWN)
    await office.ask("Is it 100% wool?", language="fr", gap=GapReason.THUMBS_DOWN)
    hours = "Wie sind die Öffnungszeiten?"
    await office.ask(hours, language="fr", gap=GapReason.THUMBS_DOWN)
    office.clock.advance(DAY)
    since = office.clock.now()
    await office.ask(PAY)
    wanted = {
        SHIP: (
            GapFilter(reason=GapReason.FAILURE_WORDS),
            GapFilter(language="de"),
            GapFilter(text=SHIP[2:9].upper()),
        ),
        PAY: (GapFilter(reason=GapReason.LOW_CONFIDENCE), GapFilter(language="en"), GapFilter(since=since)),
        wool: (GapFilter(text="100%_"),),
        hours: (GapFilter(text="ÖFFNUNGS"), GapFilter(text="DIE öffnungszeiten")),
    }
    with office.record.reading() as tx:
        for question, filters in wanted.items():
            for only in filters:
                page = GapRecords(tx).page(office.agent, GapState.OPEN, PageRequest(), only)
                assert [gap.question for gap in page.items] == [question]


async def test_gaps_are_listed_by_impact_and_by_latest_page_by_page(office: Office) -> None:
    insistent = await office.visitor()
    for _ in range(3):
        await office.ask(PAY, insistent)  # asked most, by one visitor, long ago
    office.clock.advance(8 * DAY)
    for _ in range(2):
        await office.ask(SHIP)
    await office.ask(SEND)
    assert await office.listed(GapOrder.ASKED) == [PAY, SHIP, SEND]
    assert await office.listed(GapOrder.IMPACT) == [SHIP, SEND, PAY]
    assert await office.listed(GapOrder.LATEST) == [SEND, SHIP, PAY]
    with office.record.reading() as tx:
        by_count = GapRecords(tx).page(office.agent, None, PageRequest(limit=1))
        for other in (GapOrder.IMPACT, GapOrder.LATEST):
            with pytest.raises(InvalidInput, match="cursor"):
                GapRecords(tx).page(office.agent, None, PageRequest(1, by_count.next_cursor), order=other)


@pytest.mark.parametrize("seed", range(3))
async def test_the_visitors_kept_with_a_gap_are_those_who_asked(office: Office, seed: int) -> None:
    """Whoever asks, merges, splits, groups or erases in whatever order."""
    chosen = random.Random(seed)
    visitors = [await office.visitor() for _ in range(4)]
    clustering = GapClustering(office.record, HashingEmbedder(), LanguageGuesser())
    for _ in range(40):
        step = chosen.choice(["ask", "ask", "ask", "merge", "split", "group", "erase"])
        gaps = list((await office.gaps()).values())
        if step == "ask" or len(gaps) < 2:
            await office.ask(f"{chosen.choice([SHIP, SEND, PAY])} {chosen.randrange(3)}", chosen.choice(visitors))
        elif step == "merge":
            into, other = chosen.sample(gaps, 2)
            await office.triage.merge(office.actor, into.id, [other.id])
        elif step == "split":
            gap = chosen.choice(gaps)
            samples = (await office.triage.view(office.actor, gap.id)).facts.samples
            with suppress(InvalidInput):  # of one wording
                await office.triage.split(office.actor, gap.id, chosen.choice(samples).turn_id)
        elif step == "group":
            await clustering.place()
        else:
            await office.erase(visitors.pop(chosen.randrange(len(visitors))))
            visitors.append(await office.visitor())
        assert await office.kept_visitors() == await office.counted_visitors()


async def test_many_are_settled_or_none(office: Office) -> None:
    for question in (SHIP, PAY):
        await office.ask(question)
    ids = [gap.id for gap in (await office.gaps()).values()]
    with pytest.raises(InvalidInput, match="note"):
        await office.triage.settle(office.actor, office.agent, ids, GapState.IGNORED, " ")
    with pytest.raises(NotFound):
        await office.triage.settle(office.actor, office.agent, [*ids, uuid4()], GapState.IGNORED, "not ours")
    with pytest.raises(NotFound):
        await office.triage.settle(office.actor, uuid4(), ids, GapState.IGNORED, "not ours")
    assert {gap.state for gap in (await office.gaps()).values()} == {GapState.OPEN}
    await office.triage.settle(office.actor, office.agent, ids, GapState.IGNORED, "not ours")
    assert {(gap.state, gap.note) for gap in (await office.gaps()).values()} == {(GapState.IGNORED, "not ours")}


async def test_what_is_known_of_a_gap(office: Office) -> None:
    visitor = await office.visitor()
    await office.ask(SHIP, visitor)
    office.clock.advance(8 * DAY)
    await office.ask(SHIP, visitor, language="de")
    ranked = [{"url": "https://a.example/", "title": "A", "calibrated": 0.01, "cosine": 0.2, "bm25": None}]
    latest = await office.ask(SHIP, trace={"ranked": ranked})
    gap = (await office.gaps())[SHIP]
    view = await office.triage.view(office.actor, gap.id)
    facts = view.facts
    assert (facts.visitors, facts.this_week, facts.week_before, facts.impact) == (2, 2, 1, 6)
    assert facts.languages == ("en", "de")
    assert (facts.by_day[-1], facts.by_day[-9], sum(facts.by_day), len(facts.by_day)) == (2, 1, 3, 28)
    assert [sample.question for sample in facts.samples] == [SHIP] * 3
    assert (facts.samples[0].turn_id, facts.samples[1].conversation_id) == (latest, visitor.conversation_id)
    assert view.snapshot is not None
    assert (view.snapshot.why, view.snapshot.found[0].title) == (Shortfall.NOTHING_CLOSE, "A")
