"""Everything that is kept of one visitor, for the visitor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.conversations.conversation import Conversation, Note, Visitor
from app.conversations.people.live_chat import LiveMessage
from app.core.turn import StoredTurn


@dataclass(frozen=True, slots=True)
class Feedback:
    rating: str
    comment: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class ExportedTurn:
    turn: StoredTurn
    feedback: Feedback | None


@dataclass(frozen=True, slots=True)
class ExportedConversation:
    """`cleared_at` is when the visitor started afresh: cleared conversations are kept, and so exported.
    `live_messages` are what was written while a person answered, `labels` and `notes` what operators called it and
    noted on it: those are theirs, and not in what a visitor takes along by themselves. `chat_rating` is what the
    visitor said of talking with a person."""

    conversation: Conversation
    cleared_at: datetime | None
    turns: tuple[ExportedTurn, ...]
    live_messages: tuple[LiveMessage, ...] = ()
    labels: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    chat_rating: Literal["up", "down"] | None = None


@dataclass(frozen=True, slots=True)
class VisitorExport:
    """All by age, turns in order. `left` is what tables list, by its name."""

    visitor: Visitor
    first_seen_at: datetime
    exported_at: datetime
    conversations: tuple[ExportedConversation, ...]
    left: Mapping[str, Sequence[object]]
