"""A workspace at a glance. Days are those of UTC."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from app.agents.agent import Agent
from app.agents.records import AgentRecords, MilestoneRecords
from app.agents.set_up import NEW_FOR, Milestones, SetUp, is_new, set_up
from app.agents.token_budget import TokenBudget
from app.conversations.conversation import RESUME_WITHIN
from app.conversations.live_chat import LiveState, OpenChat
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import Actor
from app.core.list_page import PageRequest
from app.core.turn import GapState
from app.gaps.gap import Gap, GrowingGap
from app.gaps.records.gaps import GapRecords
from app.gaps.records.triage import GapTriageRecords
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.quality.quality import TurnCounts, total
from app.quality.records.quality import QualityRecords
from app.sources.deletions.deletion import Deletion
from app.sources.deletions.records import DeletionRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import LatestReading, RunState
from app.store.system_of_record import SystemOfRecord, Transaction

WEEK_DAYS: Final = 7
UNFINISHED_AFTER: Final = timedelta(hours=1)  # long after a worker would have given up
LISTED: Final = 8  # entries per list
MOST_AGENTS: Final = 200  # the oldest
_NONE: Final = TurnCounts()


@dataclass(frozen=True, slots=True)
class DayCounts:
    day: date
    counts: TurnCounts


@dataclass(frozen=True, slots=True)
class AgentCounts:
    """`week` is the last WEEK_DAYS days, including today."""

    agent: Agent
    today: TurnCounts
    week: TurnCounts
    budget: Annotated[TokenBudget | None, "Null without a limit."]

    @property
    def agent_id(self) -> UUID:
        return self.agent.id

    @property
    def name(self) -> Annotated[str, "The name in the draft."]:
        return self.agent.draft.name


class ChangeKind(StrEnum):
    PUBLISHED = "published"  # a version of an agent, which is the subject
    READ = "read"  # a source, which is the subject, was read successfully
    GAP_ANSWERED = "gap_answered"  # closed with proof
    GAP_REOPENED = "gap_reopened"  # it lost its answer


@dataclass(frozen=True, slots=True)
class Change:
    """A recent change. `words` name its subject: an agent and its version, a source, or a gap's question."""

    kind: ChangeKind
    at: datetime
    agent_id: UUID
    subject_id: Annotated[UUID, "The id of the agent, source or gap."]
    words: str


@dataclass(frozen=True, slots=True)
class Overview:
    """Each list except `agents` and `days` has at most LISTED entries. `growing` has the fastest growing gaps first."""

    as_of: datetime
    agents: Annotated[Sequence[AgentCounts], f"Oldest first, at most {MOST_AGENTS}."]
    days: Annotated[Sequence[DayCounts], f"The last {WEEK_DAYS} days (UTC) of all these agents, today last."]
    week: Annotated[TurnCounts, "The sum of these days."]
    week_before: Annotated[TurnCounts, "The same number of days before."]
    waiting: Annotated[Sequence[OpenChat], f"Longest waiting first, at most {LISTED}."]
    waiting_count: Annotated[int, "Visitors waiting for a person."]
    failing: Annotated[
        Sequence[LatestReading],
        "Sources whose latest reading failed or could not read pages that answers use, latest first.",
    ]
    unfinished: Annotated[
        Sequence[Deletion],
        "Deletions that no worker could finish, oldest first: `POST /v1/deletions/{deletion_id}/finish`.",
    ]
    growing: Annotated[Sequence[GrowingGap], "Open gaps that were asked more often than in the week before."]
    assigned: Annotated[Sequence[Gap], "Open gaps assigned to the caller; empty for an API token."]
    changes: Annotated[Sequence[Change], "Changes in these days, latest first."]
    set_ups: Annotated[
        Sequence[SetUp], f"Agents of the last {NEW_FOR.days} days that no website has shown yet, newest first."
    ]

    @property
    def today(self) -> TurnCounts:
        return self.days[-1].counts

    @property
    def spent(self) -> list[AgentCounts]:
        """Agents whose budget for today is used up: visitors get quotes until tomorrow."""
        return [each for each in self.agents if each.budget is not None and each.budget.is_spent]

    @property
    def paused(self) -> list[Agent]:
        """Agents that answer nobody until an operator resumes them."""
        return [each.agent for each in self.agents if each.agent.paused_at is not None]


class Overviews(Wired):
    """Collects the overview for operators from the rooms that compute its figures."""

    _records: SystemOfRecord
    _clock: Clock
    _budgets: TokenBudgets

    async def overview(self, actor: Actor) -> Overview:
        """The overview of the actor's workspace, with its first MOST_AGENTS agents."""
        now, own = self._clock.now(), actor.workspace_id
        first = now.date() - timedelta(days=2 * WEEK_DAYS - 1)
        budgets = await self._budgets.bounded(actor)

        def work(tx: Transaction) -> Overview:
            agents = AgentRecords(tx).page(own, PageRequest(MOST_AGENTS)).items
            ids = [agent.id for agent in agents]
            by_agent = QualityRecords(tx).days(ids, first, 2 * WEEK_DAYS)
            of_days = [total(days) for days in zip(*by_agent.values(), strict=True)] or [_NONE] * 2 * WEEK_DAYS
            active_since = now - RESUME_WITHIN
            chats = LiveChatRecords(tx).open_chats(own, active_since, LISTED)
            readings = CrawlRunRecords(tx).latest_of_workspace(own)
            return Overview(
                as_of=now,
                agents=[
                    AgentCounts(
                        agent,
                        total(by_agent[agent.id][-1:]),
                        total(by_agent[agent.id][WEEK_DAYS:]),
                        budgets.get(agent.id),
                    )
                    for agent in agents
                ],
                days=[
                    DayCounts(first + timedelta(days=number), of_days[number])
                    for number in range(WEEK_DAYS, 2 * WEEK_DAYS)
                ],
                week=total(of_days[WEEK_DAYS:]),
                week_before=total(of_days[:WEEK_DAYS]),
                waiting=[each for each in chats if each.chat.state is LiveState.WAITING],
                waiting_count=LiveChatRecords(tx).waiting_count(own, active_since),
                failing=[each for each in readings if each.is_failing][:LISTED],
                unfinished=DeletionRecords(tx).unfinished(own, now - UNFINISHED_AFTER, LISTED),
                growing=GapTriageRecords(tx).growing(own, LISTED),
                assigned=GapRecords(tx).assigned(own, actor.address, LISTED) if actor.address else [],
                changes=self._changes(tx, own, readings),
                set_ups=self._set_ups(tx, agents),
            )

        return await self._records.of_workspace(actor.workspace_id).read(work)

    def _set_ups(self, tx: Transaction, agents: Sequence[Agent]) -> list[SetUp]:
        milestones = MilestoneRecords(tx).of_agents([agent.id for agent in agents])
        now, none = self._clock.now(), Milestones()
        new = [agent for agent in reversed(agents) if is_new(agent, milestones.get(agent.id, none), now)][:LISTED]
        return [
            set_up(
                agent,
                None if agent.live_version is None else AgentRecords(tx).live(agent.id).config,
                LiveDocumentRecords(tx).counts(agent.id)[0],
                milestones.get(agent.id, none),
            )
            for agent in new
        ]

    def _changes(self, tx: Transaction, workspace_id: UUID, readings: Sequence[LatestReading]) -> list[Change]:
        since = self._clock.now() - timedelta(days=WEEK_DAYS)
        published = AgentRecords(tx).published_since(workspace_id, since, LISTED)
        changes = [
            Change(
                ChangeKind.PUBLISHED,
                each.published_at,
                each.agent_id,
                each.agent_id,
                f"{each.config.name}, version {each.number}",
            )
            for each in published
        ]
        changes += [
            Change(ChangeKind.READ, each.ended_at, each.agent_id, each.source_id, each.name)
            for each in readings
            if each.state is RunState.FINISHED and each.ended_at is not None and each.ended_at >= since
        ]
        for kind, state in ((ChangeKind.GAP_ANSWERED, GapState.ANSWERED), (ChangeKind.GAP_REOPENED, GapState.OPEN)):
            changes += [
                Change(kind, at, gap.agent_id, gap.id, gap.question)
                for gap, at in GapRecords(tx).turned(workspace_id, state, since, LISTED)
            ]
        return sorted(changes, key=lambda change: change.at, reverse=True)[:LISTED]
