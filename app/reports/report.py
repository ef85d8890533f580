"""The values of a report: figures of a range of days, and topics, which are groups of visitors' questions that mean
the same in different words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from app.core.turn import TokenUsage
from app.quality.quality import TurnCounts
from app.reports.report_days import ReportDays


@dataclass(frozen=True, slots=True)
class WaitingQuestion:
    """A question without a topic yet; `language` is that of its turn. Personal data in it is masked."""

    turn_id: UUID
    agent_id: UUID
    question: str
    language: str | None


@dataclass(slots=True)
class TopicPlace:
    """A topic that questions can be added to; `topic_id` is None for a new one. `meaning` is the vector of its first
    question, empty for a language that the model does not read. `wordings` has its first wordings; None before they are
    read. `turns` has the turns to add, each with the key of its question."""

    meaning: Sequence[float]
    topic_id: UUID | None
    wordings: list[str] | None
    turns: list[tuple[UUID, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TopicPart:
    """A topic in a report, with the counts of its questions."""

    topic_id: UUID
    agent_id: UUID
    question: Annotated[str, "The first question of the topic, with personal data masked."]
    conversation_id: Annotated[UUID, "The conversation in which it was asked."]
    counts: TurnCounts
    before: Annotated[int, "Questions in the days before."]


MOST_AGENTS: Final = 200  # in a report; the oldest
LISTED: Final = 20  # languages, pages and topics
PAGES_OF_TURNS: Final = 10_000  # the latest


@dataclass(frozen=True, slots=True)
class Spent:
    calls: Annotated[int, "Turns, and drafts for operators, that used the chat model."] = 0
    usage: TokenUsage = field(default_factory=TokenUsage)
    cost: Annotated[float | None, "In your currency; null if no prices are set."] = None


@dataclass(frozen=True, slots=True)
class ChatThumbs:
    """Visitors' ratings of live chats in these days."""

    up: Annotated[int, "Visitors who said in these days that talking to a person helped."] = 0
    down: int = 0

    @property
    def satisfaction(self) -> float | None:
        """The share of thumbs up in [0, 1], None without ratings."""
        return self.up / (self.up + self.down) if self.up or self.down else None


@dataclass(frozen=True, slots=True)
class Figures:
    """Totals of a range of days. Times are None if nothing was measured."""

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
    name: Annotated[str, "The name in the draft."]
    counts: TurnCounts


@dataclass(frozen=True, slots=True)
class Report:
    """`hours` and `weekdays` are in the time zone of `days`. `kept_days` is the shortest retention period of the
    agents."""

    as_of: datetime
    days: ReportDays
    now: Figures
    before: Figures
    steps: Annotated[Sequence[Step], "One step per day, or per week from Monday if there are more than 62 days."]
    hours: Annotated[Sequence[TurnCounts], "24 entries, by the hour of the question."]
    weekdays: Annotated[Sequence[TurnCounts], "7 entries, from Monday."]
    languages: Annotated[
        Sequence[Part], f'By BCP 47 primary subtag, "" if it is not known; most questions first, at most {LISTED}.'
    ]
    pages: Annotated[
        Sequence[Part],
        'The page on which it was asked, without query and fragment, "" if it is not known; most questions '
        f"first, at most {LISTED}, from the latest {PAGES_OF_TURNS} questions.",
    ]
    topics: Annotated[
        Sequence[TopicPart],
        f"Questions that mean the same, grouped as gaps are; most questions first, at most {LISTED}.",
    ]
    in_no_topic: Annotated[int, "Questions that the worker has not placed in a topic yet."]
    agents: Annotated[Sequence[AgentPart], f"Oldest first, at most {MOST_AGENTS}."]
    kept_days: Annotated[int, "Questions older than this are erased and no longer counted."]


def together(all_spent: Iterable[Spent]) -> Spent:
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
