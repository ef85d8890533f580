"""The outcomes of the questions of some days, and of as many days before them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated
from uuid import UUID

from app.core.turn import TokenUsage
from app.quality.quality import TurnCounts
from app.reports.report_days import ReportDays
from app.reports.topic import TopicPart


@dataclass(frozen=True, slots=True)
class Spent:
    """`calls` counts the turns and the operators' drafts that called the chat model; `cost` is in the operator's
    currency, None if no price is set."""

    calls: int = 0
    usage: TokenUsage = field(default_factory=TokenUsage)
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class ChatThumbs:
    """Visitors' ratings of live chats in these days."""

    up: int = 0
    down: int = 0

    @property
    def satisfaction(self) -> float | None:
        """The share of thumbs up, None without ratings."""
        return self.up / (self.up + self.down) if self.up or self.down else None


@dataclass(frozen=True, slots=True)
class Figures:
    """Totals of the days. Times are None if none was taken."""

    counts: TurnCounts
    curated: Annotated[int, "Answered turns with a curated answer."]
    conversations: Annotated[int, "Conversations with a question."]
    visitors: Annotated[int, "Visitors who asked a question."]
    first_word_p50: Annotated[int | None, "Milliseconds within which half of the answers began."]
    first_word_p95: Annotated[int | None, "Milliseconds within which 95 of 100 answers began."]
    spent: Spent
    chats: ChatThumbs


@dataclass(frozen=True, slots=True)
class Step:
    """A day, or a week."""

    days: ReportDays
    counts: TurnCounts
    first_word_p50: int | None
    first_word_p95: int | None
    spent: Spent


@dataclass(frozen=True, slots=True)
class Part:
    """The questions that share `key`."""

    key: str
    counts: TurnCounts


@dataclass(frozen=True, slots=True)
class AgentPart:
    agent_id: UUID
    name: str
    counts: TurnCounts


@dataclass(frozen=True, slots=True)
class Report:
    """`agents` are those of the report, oldest first. `hours` has 24 entries, by the clock of the zone; `weekdays`
    begins with Monday. `languages`, `pages` and `topics` are sorted by questions, most first, and limited: a language
    is a BCP 47 primary subtag, "" if unknown; a page is an address without query and anchor, "" if unknown.
    `in_no_topic` questions have no topic yet. `kept_days` is how long the agents keep visitors' questions, the shortest
    of them."""

    as_of: datetime
    days: ReportDays
    now: Figures
    before: Figures
    steps: Sequence[Step]
    hours: Sequence[TurnCounts]
    weekdays: Sequence[TurnCounts]
    languages: Sequence[Part]
    pages: Sequence[Part]
    topics: Sequence[TopicPart]
    in_no_topic: int
    agents: Sequence[AgentPart]
    kept_days: int


def together(all_spent: Iterable[Spent]) -> Spent:
    """The sum."""
    spent = list(all_spent)
    usages = [each.usage for each in spent]
    costs = [each.cost for each in spent if each.cost is not None]
    return Spent(
        sum(each.calls for each in spent),
        TokenUsage(
            sum(usage.prompt_tokens for usage in usages),
            sum(usage.completion_tokens for usage in usages),
            cached_tokens=sum(usage.cached_tokens for usage in usages),
        ),
        sum(costs) if costs else None,
    )
