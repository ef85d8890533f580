"""What visitors left for people to answer."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent


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
