"""Turns and all that their end leaves behind."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent
from app.store.types import StorableJson

_RUNNING = text("state = 'running'")
_UNDELIVERED = text("delivered_at IS NULL")


class TurnRow(Base):
    """`id` is the client's. `owner` names the process that answers; `partial_answer` is its text so far and
    empty once the turn has ended."""

    __tablename__ = "turns"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    conversation_id: Mapped[UUID] = parent("conversations", index=False)
    visitor_id: Mapped[UUID] = parent("visitors")
    agent_id: Mapped[UUID] = parent("agents", index=False)
    agent_version: Mapped[int]
    position: Mapped[int]  # 1.. within the conversation
    page_url: Mapped[str]
    fingerprint: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(10))
    owner: Mapped[str]
    partial_answer: Mapped[str] = mapped_column(default="")
    answered_by: Mapped[str | None]
    confidence: Mapped[float | None]
    low_confidence: Mapped[bool] = mapped_column(default=False)
    finish: Mapped[str | None]
    error_code: Mapped[str | None]
    language: Mapped[str | None]
    curated_answer_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("curated_answers.id", ondelete="SET NULL"), index=True
    )
    first_token_ms: Mapped[int | None]
    duration_ms: Mapped[int] = mapped_column(default=0)
    trace: Mapped[dict[str, Any]] = mapped_column(StorableJson, default=dict)
    next_questions: Mapped[list[str]] = mapped_column(StorableJson, default=list, server_default=text("'[]'"))
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("conversation_id", "position"),
        Index(None, "agent_id", "created_at"),
        Index(
            "uq_turns_running",
            "conversation_id",
            unique=True,
            sqlite_where=_RUNNING,
            postgresql_where=_RUNNING,
        ),
        Index("ix_turns_running_owner", "owner", sqlite_where=_RUNNING, postgresql_where=_RUNNING),
    )


class CitationRow(HasId, Base):
    """Copies what it names, so that it outlives the chunk; `chunk_id` may name a chunk that is gone."""

    __tablename__ = "citations"

    turn_id: Mapped[UUID] = parent("turns", index=False)
    number: Mapped[int]
    url: Mapped[str]
    title: Mapped[str]
    as_of: Mapped[date | None]
    chunk_id: Mapped[str | None] = mapped_column(String(32))
    quote: Mapped[str | None]

    __table_args__ = (UniqueConstraint("turn_id", "number"),)


class FeedbackRow(HasId, Base):
    __tablename__ = "feedback"

    turn_id: Mapped[UUID] = mapped_column(ForeignKey("turns.id", ondelete="CASCADE"), unique=True)
    agent_id: Mapped[UUID] = parent("agents", index=False)
    rating: Mapped[str] = mapped_column(String(10))
    comment: Mapped[str]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]

    __table_args__ = (Index(None, "agent_id", "created_at"),)


class UsageRow(HasId, Base):
    """What one turn cost. `turn_id` is no foreign key: erasing a visitor must not change the bill. A turn that was
    cut counts too, with no tokens and an empty `answered_by`. What the model wrote for an operator has an id of its own
    in place of a turn's, and says in `answered_by` what it was for."""

    __tablename__ = "usage"

    turn_id: Mapped[UUID] = mapped_column(unique=True)
    agent_id: Mapped[UUID] = parent("agents", index=False)
    answered_by: Mapped[str]
    model: Mapped[str]
    prompt_tokens: Mapped[int]
    completion_tokens: Mapped[int]
    cached_tokens: Mapped[int] = mapped_column(server_default=text("0"))
    created_at: Mapped[datetime]

    __table_args__ = (Index(None, "agent_id", "created_at"),)


class AgentDayRow(Base):
    """What an agent's day, by UTC, has cost so far: the sum of its rows of usage, kept beside them."""

    __tablename__ = "agent_days"

    agent_id: Mapped[UUID] = mapped_column(ForeignKey("agents.id", ondelete="CASCADE"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    tokens: Mapped[int] = mapped_column(BigInteger)


class StoppedTurnRow(Base):
    """A turn that its visitor stopped, as long as nobody has looked whether they asked the same in other words.
    `until` is the latest moment at which that may have begun."""

    __tablename__ = "stopped_turns"

    turn_id: Mapped[UUID] = mapped_column(ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True)
    until: Mapped[datetime]


class OutboxRow(HasId, Base):
    """Something that happened and that hooks may want to hear of, in ids and figures: each kind once a turn; what is
    about a conversation as a whole names that and no turn; what is about a week and not a turn comes once for each
    agent and week, which is named by its Monday."""

    __tablename__ = "outbox"

    turn_id: Mapped[UUID | None] = parent("turns", index=False)
    conversation_id: Mapped[UUID | None] = parent("conversations")
    agent_id: Mapped[UUID] = parent("agents")
    kind: Mapped[str] = mapped_column(String(40))
    week: Mapped[date | None]
    payload: Mapped[dict[str, Any]] = mapped_column(StorableJson)
    created_at: Mapped[datetime]
    delivered_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("turn_id", "kind"),
        UniqueConstraint("agent_id", "kind", "week"),
        Index(
            "ix_outbox_undelivered",
            "created_at",
            sqlite_where=_UNDELIVERED,
            postgresql_where=_UNDELIVERED,
        ),
    )
