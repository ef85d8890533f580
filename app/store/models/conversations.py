"""Visitors, their conversations, and what was said."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent


class VisitorRow(HasId, Base):
    """`user_id` is set for those whom the website's server has named; no anonymous id ever leads to them."""

    __tablename__ = "visitors"

    agent_id: Mapped[UUID] = parent("agents", index=False)
    anonymous_id: Mapped[UUID]
    user_id: Mapped[str | None]
    created_at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint("agent_id", "anonymous_id"),
        Index(None, "agent_id", "user_id", unique=True),
    )


class ConversationRow(HasId, Base):
    """`turn_count` also numbers the turns: it is raised in the transaction that stores one."""

    __tablename__ = "conversations"

    agent_id: Mapped[UUID] = parent("agents", index=False)
    visitor_id: Mapped[UUID] = parent("visitors", index=False)
    channel: Mapped[str] = mapped_column(String(20))
    turn_count: Mapped[int] = mapped_column(default=0)
    first_question: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    last_active_at: Mapped[datetime]
    cleared_at: Mapped[datetime | None]

    __table_args__ = (Index(None, "agent_id", "last_active_at"), Index(None, "visitor_id", "last_active_at"))


class MessageRow(HasId, Base):
    """One bubble: the visitor's is stored with the turn, the agent's with the turn's end."""

    __tablename__ = "messages"

    turn_id: Mapped[UUID] = parent("turns", index=False)
    role: Mapped[str] = mapped_column(String(10))
    text: Mapped[str]
    created_at: Mapped[datetime]

    __table_args__ = (UniqueConstraint("turn_id", "role"),)
