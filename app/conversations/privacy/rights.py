"""What visitors have a right to: all data stored of them, its erasure, and its end by age."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from app.conversations.conversation import Conversation, Note, Visitor
from app.conversations.live_chat import LiveMessage
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
    """`cleared_at` is when the visitor started afresh: cleared conversations are still stored, and so exported.
    `live_messages` were written during live chats. `labels` and `notes` belong to operators, and are not in the export
    that visitors request themselves. `chat_rating` is the visitor's rating of the chat with a person."""

    conversation: Conversation
    cleared_at: datetime | None
    turns: tuple[ExportedTurn, ...]
    live_messages: tuple[LiveMessage, ...] = ()
    labels: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    chat_rating: Literal["up", "down"] | None = None


@dataclass(frozen=True, slots=True)
class VisitorExport:
    """Oldest first, turns in order. `left` has the rows of tables that declare an export, by table."""

    visitor: Visitor
    first_seen_at: datetime
    exported_at: datetime
    conversations: tuple[ExportedConversation, ...]
    left: Mapping[str, Sequence[object]]


@dataclass(frozen=True, slots=True)
class Erasure:
    """A receipt. `rows` counts the erased rows by kind. `conversation_ids` are for those who must forget them
    elsewhere; they are not stored."""

    id: UUID
    agent_id: UUID
    rows: Mapping[str, int]
    conversation_ids: tuple[UUID, ...]
    erased_at: datetime


@dataclass(frozen=True, slots=True)
class RetentionPeriod:
    """How long an agent keeps what visitors wrote."""

    agent_id: UUID
    workspace_id: UUID
    days: int

    @property
    def age(self) -> timedelta:
        return timedelta(days=self.days)
