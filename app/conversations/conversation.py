"""A conversation is what one visitor and one agent have said to each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal
from uuid import UUID

from app.core.confirmation import Confirmation
from app.core.turn import AnsweredBy, Channel, Citation
from app.core.visitor_attribute import VisitorAttribute

RESUME_WITHIN = timedelta(hours=24)
MESSAGES_AT_ONCE = 30


class Role(StrEnum):
    VISITOR = "visitor"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser that has asked, or a person whom the website's server has named by `user_id`.

    `anonymous_id` is the random name that a browser keeps for itself; nobody finds a named person by it.
    `attributes` are what the latest opening of the widget told of them, by name.
    """

    id: UUID
    agent_id: UUID
    anonymous_id: UUID
    user_id: str | None = None
    attributes: tuple[VisitorAttribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """`assignee` is the operator who looks after it, by their e-mail address, "" for nobody. `closed_at` is when an
    operator closed it: what happens later opens it again."""

    id: UUID
    agent_id: UUID
    visitor_id: UUID
    created_at: datetime
    last_active_at: datetime
    turn_count: int = 0
    first_question: str = ""
    channel: Channel = Channel.WIDGET
    assignee: str = ""
    closed_at: datetime | None = None

    @property
    def is_closed(self) -> bool:
        return self.closed_at is not None and self.closed_at >= self.last_active_at


@dataclass(frozen=True, slots=True)
class Message:
    """One bubble. Citations, `answered_by`, `low_confidence`, `next_questions`, `rating` and `confirmation` belong to
    the agent's messages only."""

    id: UUID
    turn_id: UUID
    role: Role
    text: str
    created_at: datetime
    citations: tuple[Citation, ...] = ()
    answered_by: AnsweredBy | None = None
    low_confidence: bool = False
    next_questions: tuple[str, ...] = ()
    rating: Literal["up", "down"] | None = None
    confirmation: Confirmation | None = None


@dataclass(frozen=True, slots=True)
class MessagePage:
    """Messages of whole turns, oldest first, and whether there are some before them."""

    messages: Sequence[Message] = ()
    has_earlier: bool = False
