"""Reports on visitors' questions, for one agent or all agents of a workspace. Past days are counted once and stored
packed, and counted again when something in them has changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np

from app.agents.agent import Agent
from app.agents.records import AgentRecords
from app.conversations.records.packed_days import Kind, OutdatedDay, PackedDayRecords
from app.conversations.records.packed_words import PackedWordRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import Actor
from app.core.list_page import PageRequest
from app.kit.clock import Clock, begin_of
from app.kit.wiring import Wired
from app.quality.records.quality import QualityRecords, TurnArrayRecords
from app.quality.turn_arrays import OUTCOMES, Places, Rows, TurnArrays, by_place, microseconds, nearest_ranks, tallies
from app.reports.records.figures import ReportRecords
from app.reports.records.topics import TopicDayRecords, TopicRecords
from app.reports.report import (
    LISTED,
    MOST_AGENTS,
    PAGES_OF_TURNS,
    AgentPart,
    ChatThumbs,
    Figures,
    Part,
    Report,
    Spent,
    Step,
    together,
)
from app.reports.report_days import ReportDays, report_days
from app.store.system_of_record import SystemOfRecord, Transaction, reads

USUAL_DAYS: Final = 28  # whole weeks, so that the days before have as many of each weekday

_MOMENT: Final = timedelta(microseconds=1)
_HOUR, _DAY = timedelta(hours=1) // _MOMENT, timedelta(days=1) // _MOMENT
# The most by which the clocks of processes differ: no turn begins in a day that counts as over.
_CLOCKS_APART: Final = timedelta(hours=3)
_ONE_DAY: Final = timedelta(days=1)
_AT_ONCE: Final = 30


@dataclass(frozen=True, slots=True)
class _TimedTurns:
    """The questions of a range of days, with the index of the day and the hour of each, in the zone of `days`."""

    days: ReportDays
    found: TurnArrays
    day: Places
    hour: Places

    @classmethod
    def in_days(cls, days: ReportDays, found: TurnArrays) -> "_TimedTurns":
        local = found.turns["at"].copy()
        for stretch in days.stretches:
            local[found.inside(stretch.since, stretch.until)] += stretch.offset // _MOMENT
        first = microseconds(begin_of(days.first))
        return cls(days, found, (local - first) // _DAY, local % _DAY // _HOUR)

    @property
    def weekday(self) -> Places:
        weekday: Places = (self.day + self.days.first.weekday()) % 7
        return weekday


class Reports(Wired):
    _records: SystemOfRecord
    _clock: Clock
    _budgets: TokenBudgets

    @reads
    def report(
        self,
        tx: Transaction,
        actor: Actor,
        zone: ZoneInfo,
        first: date | None = None,
        last: date | None = None,
        agent_id: UUID | None = None,
    ) -> Report:
        """The report on the days from `first` to `last`, by default the USUAL_DAYS until today. Without `agent_id`, it
        covers the workspace's first MOST_AGENTS agents. Raises InvalidInput; NotFound for an agent that is absent or
        another workspace's."""
        now = self._clock.now()
        last = last or now.astimezone(zone).date()
        days = report_days(first or last - timedelta(days=USUAL_DAYS - 1), last, zone)
        agents = _agents(tx, actor, agent_id)
        ids = [agent.id for agent in agents]
        before = days.before
        records, prices = ReportRecords(tx), self._budgets.prices
        topics, waiting = TopicRecords(tx).of_days(ids, days, LISTED)
        all_turns = TurnArrayRecords(tx).between(ids, before.since, days.until)
        now_turns = all_turns.between(days.since, days.until)
        timed, spent = _TimedTurns.in_days(days, now_turns), records.spent(ids, days, prices)
        return Report(
            as_of=now,
            days=days,
            now=self._figures(now_turns, spent, records.chat_thumbs(ids, days)),
            before=self._figures(
                all_turns.between(before.since, before.until),
                records.spent(ids, before, prices),
                records.chat_thumbs(ids, before),
            ),
            steps=self._steps(timed, spent),
            hours=tallies(now_turns.turns, timed.hour, 24),
            weekdays=tallies(now_turns.turns, timed.weekday, 7),
            languages=_most(now_turns.turns, "language", now_turns.languages),
            pages=_most(now_turns.latest(PAGES_OF_TURNS), "page", now_turns.pages),
            topics=topics,
            in_no_topic=waiting,
            agents=[
                AgentPart(agent.id, agent.draft.name, counts)
                for agent, counts in zip(agents, tallies(now_turns.turns, now_turns.agents, len(ids)), strict=True)
            ],
            kept_days=_kept_days(tx, actor, agents),
        )

    def _figures(self, found: TurnArrays, spent: Mapping[datetime, Spent], chats: ChatThumbs) -> Figures:
        turns = found.turns
        [counts] = tallies(turns, np.zeros(len(turns), np.intp), 1)
        return Figures(
            counts,
            int(turns["is_curated"][turns["outcome"] == OUTCOMES.index("answered")].sum()),
            found.distinct("conversation"),
            found.distinct("visitor"),
            *nearest_ranks(turns["first_word"]),
            together(spent.values()),
            chats,
        )

    def _steps(self, timed: _TimedTurns, all_spent: Mapping[datetime, Spent]) -> list[Step]:
        steps = timed.days.steps
        place = {day: number for number, step in enumerate(steps) for day in step.each}
        places = np.array([place[day] for day in timed.days.each])[timed.day]
        counts = tallies(timed.found.turns, places, len(steps))
        words = by_place(timed.found.turns["first_word"], places, len(steps))
        spent: list[list[Spent]] = [[] for _ in steps]
        for at, charged in all_spent.items():
            spent[place[at.date()]].append(charged)
        return [
            Step(step, counts[number], *nearest_ranks(words[number]), together(spent[number]))
            for number, step in enumerate(steps)
        ]


def _most(turns: Rows, field: str, names: Sequence[str]) -> list[Part]:
    """The counts for each value of `field`, an index into `names`; most questions first."""
    counts = tallies(turns, turns[field], len(names))
    parts = [Part(name, of_name) for name, of_name in zip(names, counts, strict=True) if of_name.turns]
    return sorted(parts, key=lambda part: (-part.counts.turns, part.key))[:LISTED]


def _agents(tx: Transaction, actor: Actor, agent_id: UUID | None) -> Sequence[Agent]:
    if agent_id is not None:
        return [AgentRecords(tx).agent(actor.workspace_id, agent_id)]
    return AgentRecords(tx).page(actor.workspace_id, PageRequest(MOST_AGENTS)).items


def _kept_days(tx: Transaction, actor: Actor, agents: Sequence[Agent]) -> int:
    """The shortest retention period of the agents, by their published versions, else their drafts."""
    published = {agent.id: agent.config for agent, _ in AgentRecords(tx).published(actor.workspace_id)}
    return min((published.get(agent.id, agent.draft).retention_days for agent in agents), default=0)


class DayPacking(Wired):
    """Packs past days. Several workers may run this at the same time, and writes do not wait for it."""

    _records: SystemOfRecord
    _clock: Clock

    async def pack(self) -> int:
        """Count at most _AT_ONCE days that are due, latest first; return how many."""
        last = (self._clock.now() - _CLOCKS_APART).date() - _ONE_DAY
        for agent_id in await self._records.read(lambda tx: PackedDayRecords(tx).behind(last)):
            await self._go_on_to(agent_id, last)
        outdated = await self._records.read(lambda tx: PackedDayRecords(tx).outdated(last, _AT_ONCE))
        for day in outdated:
            await self._count(day)
        return len(outdated)

    async def _go_on_to(self, agent_id: UUID, last: date) -> None:
        await self._records.of_agent(agent_id).write(lambda tx: PackedDayRecords(tx).go_on_to(agent_id, last))

    async def _count(self, day: OutdatedDay) -> None:
        own = self._records.of_agent(day.agent_id)
        content, *words = await own.read(lambda tx: _counted(tx, day))
        await own.write(lambda tx: PackedDayRecords(tx).keep(day, content, words))


def _counted(tx: Transaction, day: OutdatedDay) -> list[bytes]:
    match day.kind:
        case Kind.TURNS:
            return [TurnArrayRecords(tx).pack(day.agent_id, day.day)]
        case Kind.CITATIONS:
            return [QualityRecords(tx).pack_cited(day.agent_id, day.day)]
        case Kind.TOPICS:
            return [TopicDayRecords(tx).pack(day.agent_id, day.day)]
        case Kind.WORDS:
            return PackedWordRecords(tx).pack(day.agent_id, day.day)
