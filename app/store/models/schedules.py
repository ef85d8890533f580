"""When sources are read again."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base


class SourceScheduleRow(Base):
    """A source without a row is read when somebody asks for it."""

    __tablename__ = "source_schedules"

    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    cron: Mapped[str] = mapped_column(String(100))
    every_hours: Mapped[int]
    set_at: Mapped[datetime]
    next_at: Mapped[datetime] = mapped_column(index=True)
