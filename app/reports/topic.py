"""Topics: groups of visitors' questions that mean the same in different words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from app.quality.quality import TurnCounts


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
