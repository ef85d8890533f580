"""Values of visitors' rights: the export of their data, the receipt of an erasure, the retention period."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal
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
    """`cleared_at` is when the visitor started afresh: cleared conversations are still stored, and so exported."""

    conversation: Conversation
    cleared_at: datetime | None
    turns: Annotated[tuple[ExportedTurn, ...], "Oldest first."]
    live_messages: Annotated[tuple[LiveMessage, ...], "Messages of the live chat, oldest first."] = ()
    labels: Annotated[tuple[str, ...], "Labels set by operators; empty for visitors."] = ()
    notes: Annotated[tuple[Note, ...], "Notes by operators; empty for visitors."] = ()
    chat_rating: Annotated[
        Literal["up", "down"] | None, "The visitor's rating of the live chat: up, down, or null."
    ] = None


@dataclass(frozen=True, slots=True)
class VisitorExport:
    """Turns are in order. `left` has the rows of tables that declare an export, by table."""

    visitor: Visitor
    first_seen_at: datetime
    exported_at: datetime
    conversations: Annotated[tuple[ExportedConversation, ...], "Oldest first, including cleared ones."]
    left: Mapping[str, Sequence[object]]


@dataclass(frozen=True, slots=True)
class Erasure:
    """A receipt. `rows` counts the erased rows by kind. `conversation_ids`, which are not stored, say what to erase
    from caches and logs."""

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
