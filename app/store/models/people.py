"""People beside the agent: live chats with what was written in them, and what visitors left for people to answer."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent

_OPEN = text("state IN ('waiting', 'talking')")


class LiveChatRow(HasId, Base):
    """One a conversation, from the first time that a person was asked for. `message_count` also numbers the messages:
    it is raised in the transaction that stores one."""

    __tablename__ = "live_chats"

    agent_id: Mapped[UUID] = parent("agents")
    conversation_id: Mapped[UUID] = mapped_column(ForeignKey("conversations.id", ondelete="CASCADE"), unique=True)
    state: Mapped[str] = mapped_column(String(10))
    asked_at: Mapped[datetime | None]
    taken_by: Mapped[str] = mapped_column(default="")
    operator_name: Mapped[str] = mapped_column(default="")
    taken_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    message_count: Mapped[int] = mapped_column(default=0)

    __table_args__ = (Index("ix_live_chats_open", "agent_id", "asked_at", sqlite_where=_OPEN, postgresql_where=_OPEN),)


class LiveMessageRow(HasId, Base):
    __tablename__ = "live_messages"

    agent_id: Mapped[UUID] = parent("agents", index=False)
    conversation_id: Mapped[UUID] = parent("conversations", index=False)
    message_id: Mapped[UUID]  # its writer's
    number: Mapped[int]
    author: Mapped[str] = mapped_column(String(10))
    name: Mapped[str | None]
    text: Mapped[str]
    created_at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint("conversation_id", "number"),
        UniqueConstraint("conversation_id", "message_id"),
        Index(None, "agent_id", "created_at"),
    )


class LeadRow(HasId, Base):
    __tablename__ = "leads"

    agent_id: Mapped[UUID] = parent("agents", index=False)
    visitor_id: Mapped[UUID] = parent("visitors")
    conversation_id: Mapped[UUID] = parent("conversations")
    name: Mapped[str] = mapped_column(default="")
    email: Mapped[str]
    message: Mapped[str]
    created_at: Mapped[datetime]

    __table_args__ = (Index(None, "agent_id", "created_at"),)
