"""Publish hooks of sources."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, parent


class SourceHookRow(Base):
    """The secret is drawn from a signing key and `salt` whenever it is needed."""

    __tablename__ = "source_hooks"

    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    kid: Mapped[str] = mapped_column(String(32))
    salt: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime]


class HookCallRow(Base):
    """A call that was taken: the same one is refused."""

    __tablename__ = "hook_calls"

    signature: Mapped[str] = mapped_column(String(64), primary_key=True)
    source_id: Mapped[UUID] = parent("sources")
    called_at: Mapped[datetime] = mapped_column(index=True)
