"""What became of the questions of some days, beside as many days before them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from app.core.turn import TokenUsage
from app.quality.quality import TurnCounts
from app.reports.report_days import ReportDays
from app.reports.topic import TopicPart


@dataclass(frozen=True, slots=True)
class Spent:
    """`calls` counts the turns, and what operators had written, that the chat model was asked for; `cost` is in the
    operator's currency, None where no price is set."""

    calls: int = 0
    usage: TokenUsage = field(default_factory=TokenUsage)
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class ChatThumbs:
    """What visitors said in these days of talking with a person."""

    up: int = 0
    down: int = 0

    @property
    def satisfaction(self) -> float | None:
        """Thumbs up of all, None without any."""
        return self.up / (self.up + self.down) if self.up or self.down else None


@dataclass(frozen=True, slots=True)
class Figures:
    """Of the days together. `curated` is of the answered. `conversations` and `visitors` are those
    with a question. Half of the answers began within `first_word_p50` milliseconds, 95 of 100 within
    `first_word_p95`; None where none was timed."""

    counts: TurnCounts
    curated: int
    conversations: int
    visitors: int
    first_word_p50: int | None
    first_word_p95: int | None
    spent: Spent
    chats: ChatThumbs


@dataclass(frozen=True, slots=True)
class Step:
    """A day or a week of them."""

    days: ReportDays
    counts: TurnCounts
    first_word_p50: int | None
    first_word_p95: int | None
    spent: Spent


@dataclass(frozen=True, slots=True)
class Part:
    """The questions that have something in common, which `key` names."""

    key: str
    counts: TurnCounts


@dataclass(frozen=True, slots=True)
class AgentPart:
    agent_id: UUID
    name: str
    counts: TurnCounts


@dataclass(frozen=True, slots=True)
class Report:
    """`agents` are those that it is of, the oldest first. `hours` are 24, by the clock of the zone; `weekdays` begin
    with Monday. `languages`, `pages` and `topics` come with most questions first, a limited number of each: a language
    is its BCP 47 primary subtag, "" where it was not told; a page is an address without query and anchor, "" where none
    was told. `in_no_topic` questions are yet to be placed in one. `kept_days` is how long the agents keep what visitors
    ask, the least of them."""

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
    """All of them, without prices."""
    spent = list(all_spent)
    usages = [each.usage for each in spent]
    return Spent(
        sum(each.calls for each in spent),
        TokenUsage(
            sum(usage.prompt_tokens for usage in usages),
            sum(usage.completion_tokens for usage in usages),
            cached_tokens=sum(usage.cached_tokens for usage in usages),
        ),
    )
