"""A workspace at a glance. Days are those of UTC."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from app.agents.agent import Agent
from app.agents.set_up import SetUp
from app.agents.token_budget import TokenBudget
from app.conversations.people.live_chat import OpenChat
from app.gaps.gap import Gap, GrowingGap
from app.quality.quality import TurnCounts
from app.sources.deletions.deletion import Deletion
from app.sources.source import LatestReading

WEEK_DAYS: Final = 7
UNFINISHED_AFTER: Final = timedelta(hours=1)  # a worker has long given it up
LISTED: Final = 8  # of each kind of thing


@dataclass(frozen=True, slots=True)
class DayCounts:
    day: date
    counts: TurnCounts


@dataclass(frozen=True, slots=True)
class AgentCounts:
    """`week` is the last WEEK_DAYS days, today among them. `budget` is None without a bound."""

    agent: Agent
    today: TurnCounts
    week: TurnCounts
    budget: TokenBudget | None


class ChangeKind(StrEnum):
    PUBLISHED = "published"  # a version of an agent, its subject
    READ = "read"  # a source, its subject, whose reading ended well
    GAP_ANSWERED = "gap_answered"  # closed with proof
    GAP_REOPENED = "gap_reopened"  # its answer was lost


@dataclass(frozen=True, slots=True)
class Change:
    """`words` name the subject: an agent and its version, a source, a gap's question."""

    kind: ChangeKind
    at: datetime
    agent_id: UUID
    subject_id: UUID
    words: str


@dataclass(frozen=True, slots=True)
class Overview:
    """`days` are the last WEEK_DAYS of all agents together, oldest first; `week_before` is as long and ends where they
    begin. LISTED at most of each list: `waiting` longest waiting first, of `waiting_count`; `failing` are sources whose
    latest reading failed, latest first; `unfinished` are deletions that no worker could finish, oldest first; `growing`
    are open gaps, fastest first; `assigned` are open gaps that the caller looks after; `changes` are of these days,
    latest first; `set_ups` are of new agents that no website has shown so far, newest first."""

    as_of: datetime
    agents: Sequence[AgentCounts]
    days: Sequence[DayCounts]
    week: TurnCounts
    week_before: TurnCounts
    waiting: Sequence[OpenChat]
    waiting_count: int
    failing: Sequence[LatestReading]
    unfinished: Sequence[Deletion]
    growing: Sequence[GrowingGap]
    assigned: Sequence[Gap]
    changes: Sequence[Change]
    set_ups: Sequence[SetUp]

    @property
    def today(self) -> TurnCounts:
        return self.days[-1].counts

    @property
    def spent(self) -> list[AgentCounts]:
        """Agents whose budget of today is used up: visitors get quotes until tomorrow."""
        return [each for each in self.agents if each.budget is not None and each.budget.is_spent]
