"""Topics: what visitors ask about, as groups of questions with one meaning, in whatever words."""

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
    """A topic to which questions may be added, identified by its first question: an existing topic, or a new one if
    `topic_id` is None. `meaning` is that question's vector, empty for a language that the model does not read.
    `wordings` are the first ones, including that question; None before they are read. `turns` are those to add now,
    with the keys of their questions."""

    meaning: Sequence[float]
    topic_id: UUID | None
    wordings: list[str] | None
    turns: list[tuple[UUID, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TopicPart:
    """A topic's questions of some days."""

    topic_id: UUID
    agent_id: UUID
    question: Annotated[str, "The first question of the topic, with personal data masked."]
    conversation_id: Annotated[UUID, "The conversation in which it was asked."]
    counts: TurnCounts
    before: Annotated[int, "Questions in the days before."]
