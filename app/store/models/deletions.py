"""Receipts for what was deleted."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent
from app.store.types import StorableJson


class DeletionRow(HasId, Base):
    """Agent and subject are no foreign keys: the receipt outlives them."""

    __tablename__ = "deletions"

    workspace_id: Mapped[UUID] = parent("workspaces")
    agent_id: Mapped[UUID]
    kind: Mapped[str] = mapped_column(String(20))
    subject_id: Mapped[UUID]
    name: Mapped[str]
    state: Mapped[str] = mapped_column(String(20))
    before: Mapped[dict[str, Any]] = mapped_column(StorableJson)
    after: Mapped[dict[str, Any]] = mapped_column(StorableJson)
    version_ids: Mapped[list[str]] = mapped_column(StorableJson)
    requested_at: Mapped[datetime]
    verified_at: Mapped[datetime | None]

    __table_args__ = (Index(None, "state", "agent_id"),)
