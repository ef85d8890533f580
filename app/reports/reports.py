"""What became of visitors' questions, for operators: of one agent, or of all agents of a workspace."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from app.agents.agent import Agent
from app.agents.records.agents import AgentRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import Actor
from app.core.list_page import PageRequest
from app.kit.clock import Clock
from app.quality.quality import TurnCounts, nearest_ranks, total
from app.reports.records.figures import ReportRecords
from app.reports.records.topics import TopicRecords
from app.reports.report import AgentPart, Asked, Figures, Outcome, Part, Report, Spent, Step, together
from app.reports.report_days import ReportDays, report_days
from app.store.system_of_record import SystemOfRecord, Transaction

MOST_AGENTS: Final = 200  # the oldest
LISTED: Final = 20  # languages, pages and topics
USUAL_DAYS: Final = 28  # whole weeks, so that the days before hold as many of each weekday

Key = TypeVar("Key", bound=Hashable)
_NONE: Final = TurnCounts()


@dataclass(frozen=True, slots=True)
class _Hours:
    """What was asked and charged in each hour of some days, by the clocks of their zone."""

    days: ReportDays
    asked: Sequence[Asked]
    spent: Mapping[datetime, Spent]

    def of_each(self, key: Callable[[Asked], Key]) -> dict[Key, TurnCounts]:
        """What was asked that has the same key."""
        found: dict[Key, list[TurnCounts]] = defaultdict(list)
        for each in self.asked:
            found[key(each)].append(each.outcome.counts)
        return {name: total(counts) for name, counts in found.items()}

    def counts(self, key: Callable[[Asked], Key], keys: Iterable[Key]) -> list[TurnCounts]:
        """Of each of the keys what was asked that has it."""
        found = self.of_each(key)
        return [found.get(each, _NONE) for each in keys]


class Reports:
    def __init__(self, records: SystemOfRecord, clock: Clock, budgets: TokenBudgets) -> None:
        self._records = records
        self._clock = clock
        self._budgets = budgets

    async def of(
        self,
        actor: Actor,
        zone: ZoneInfo,
        first: date | None = None,
        last: date | None = None,
        agent_id: UUID | None = None,
    ) -> Report:
        """The days from `first` to `last`: without a last one until today, without a first one USUAL_DAYS. Without an
        agent the workspace's first MOST_AGENTS together. Raises InvalidInput; NotFound for an agent that is absent or
        another workspace's."""
        now = self._clock.now()
        last = last or now.astimezone(zone).date()
        days = report_days(first or last - timedelta(days=USUAL_DAYS - 1), last, zone)

        def work(tx: Transaction) -> Report:
            agents = _agents(tx, actor, agent_id)
            ids = [agent.id for agent in agents]
            records, before = ReportRecords(tx), days.before
            thumbs = records.thumbs_by_hour(ids, replace(days, first=before.first))
            own = [each for each in thumbs if each.at.date() >= days.first]
            hours = _Hours(days, [*records.by_hour(ids, days), *own], records.spent(ids, days))
            earlier = [each.outcome for each in thumbs if each.at.date() < days.first]
            return Report(
                as_of=now,
                days=days,
                now=self._figures(tx, ids, days, [each.outcome for each in hours.asked], hours.spent),
                before=self._figures(
                    tx, ids, before, [records.altogether(ids, before), *earlier], records.spent(ids, before)
                ),
                steps=self._steps(hours),
                hours=hours.counts(lambda each: each.at.hour, range(24)),
                weekdays=hours.counts(lambda each: each.at.weekday(), range(7)),
                languages=_languages(hours),
                pages=records.pages(ids, days, LISTED),
                topics=TopicRecords(tx).of_days(ids, days, LISTED),
                in_no_topic=TopicRecords(tx).waiting_count(ids, days),
                agents=[
                    AgentPart(agent.id, agent.draft.name, counts)
                    for agent, counts in zip(agents, hours.counts(lambda each: each.agent_id, ids), strict=True)
                ],
                kept_days=_kept_days(tx, actor, agents),
            )

        return await self._records.of_workspace(actor.workspace_id).read(work)

    def _figures(
        self,
        tx: Transaction,
        ids: Sequence[UUID],
        days: ReportDays,
        outcomes: Sequence[Outcome],
        spent: Mapping[datetime, Spent],
    ) -> Figures:
        return Figures(
            total(each.counts for each in outcomes),
            sum(each.curated for each in outcomes),
            *ReportRecords(tx).reach(ids, days),
            *nearest_ranks(ms for each in outcomes for ms in each.first_words),
            self._priced(together(spent.values())),
            ReportRecords(tx).chat_thumbs(ids, days),
        )

    def _steps(self, hours: _Hours) -> list[Step]:
        steps = hours.days.steps
        place = {day: number for number, step in enumerate(steps) for day in step.each}
        counts = hours.counts(lambda each: place[each.at.date()], range(len(steps)))
        words: list[list[int]] = [[] for _ in steps]
        for each in hours.asked:
            words[place[each.at.date()]].extend(each.outcome.first_words)
        spent: list[list[Spent]] = [[] for _ in steps]
        for at, charged in hours.spent.items():
            spent[place[at.date()]].append(charged)
        return [
            Step(step, counts[number], *nearest_ranks(words[number]), self._priced(together(spent[number])))
            for number, step in enumerate(steps)
        ]

    def _priced(self, spent: Spent) -> Spent:
        return replace(spent, cost=self._budgets.cost(spent.usage))


def _languages(hours: _Hours) -> list[Part]:
    """Most questions first."""
    parts = [Part(language, counts) for language, counts in hours.of_each(lambda each: each.language).items()]
    return sorted(parts, key=lambda part: (-part.counts.turns, part.key))[:LISTED]


def _agents(tx: Transaction, actor: Actor, agent_id: UUID | None) -> Sequence[Agent]:
    if agent_id is not None:
        return [AgentRecords(tx).get(actor.workspace_id, agent_id)]
    return AgentRecords(tx).page(actor.workspace_id, PageRequest(MOST_AGENTS)).items


def _kept_days(tx: Transaction, actor: Actor, agents: Sequence[Agent]) -> int:
    """As the published versions say, of drafts where there is none."""
    published = {agent.id: agent.config for agent, _ in AgentRecords(tx).published(actor.workspace_id)}
    return min((published.get(agent.id, agent.draft).retention_days for agent in agents), default=0)
