"""What visitors ask about: questions that mean the same, in whatever words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.quality.quality import TurnCounts


@dataclass(frozen=True, slots=True)
class WaitingQuestion:
    """A question that is in no topic yet; `language` is that of its turn. Personal data in it is masked."""

    turn_id: UUID
    agent_id: UUID
    question: str
    language: str | None


@dataclass(slots=True)
class TopicPlace:
    """A topic to which questions may come, known by the question that was asked of it first: a topic that there is, or
    with `topic_id` None a new one. `meaning` is that question's vector, empty for a language that the model does not
    read. `wordings` are the first that came, that one among them; None as long as nobody has looked. `turns` are
    those that come now, with the keys of their questions."""

    meaning: Sequence[float]
    topic_id: UUID | None
    wordings: list[str] | None
    turns: list[tuple[UUID, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TopicPart:
    """A topic's questions of some days, and how many there were `before` them. `question` and `conversation_id` are
    of the turn that was asked of it first."""

    topic_id: UUID
    agent_id: UUID
    question: str
    conversation_id: UUID
    counts: TurnCounts
    before: int
