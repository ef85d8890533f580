"""Agents, their published versions and the answers that operators wrote."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent
from app.store.types import StorableJson


class AgentRow(HasId, Base):
    __tablename__ = "agents"

    workspace_id: Mapped[UUID] = parent("workspaces", index=False)
    draft: Mapped[dict[str, Any]] = mapped_column(StorableJson)
    live_version: Mapped[int | None]
    generation: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]

    __table_args__ = (Index(None, "workspace_id", "created_at"),)


class AgentFirstsRow(Base):
    """What it has come through once. `seen_on` is the website, as its origin, on which a browser last opened the
    widget."""

    __tablename__ = "agent_firsts"

    agent_id: Mapped[UUID] = mapped_column(ForeignKey("agents.id", ondelete="CASCADE"), primary_key=True)
    tried_at: Mapped[datetime | None]
    seen_at: Mapped[datetime | None]
    seen_on: Mapped[str] = mapped_column(default="", server_default=text("''"))


class UserKeyRow(Base):
    """The secret by which a website signs who its visitors are is drawn from a signing key and `salt`."""

    __tablename__ = "user_keys"

    agent_id: Mapped[UUID] = mapped_column(ForeignKey("agents.id", ondelete="CASCADE"), primary_key=True)
    kid: Mapped[str] = mapped_column(String(32))
    salt: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime]


class AgentVersionRow(HasId, Base):
    """Immutable: rows are inserted, never updated."""

    __tablename__ = "agent_versions"

    agent_id: Mapped[UUID] = parent("agents", index=False)
    number: Mapped[int]
    config: Mapped[dict[str, Any]] = mapped_column(StorableJson)
    published_at: Mapped[datetime]

    __table_args__ = (UniqueConstraint("agent_id", "number"),)


class CuratedAnswerRow(HasId, Base):
    __tablename__ = "curated_answers"

    agent_id: Mapped[UUID] = parent("agents", index=False)
    trigger: Mapped[str]
    pattern: Mapped[str]
    answer: Mapped[str]
    priority: Mapped[int]
    language: Mapped[str | None]
    page_prefix: Mapped[str]
    expires_at: Mapped[datetime | None]
    hits: Mapped[int] = mapped_column(default=0)
    last_hit_at: Mapped[datetime | None]
    created_at: Mapped[datetime]

    __table_args__ = (Index(None, "agent_id", "created_at"),)
