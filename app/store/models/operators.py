"""Operators and the sessions in which they are signed in."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent


class OperatorRow(HasId, Base):
    __tablename__ = "operators"

    workspace_id: Mapped[UUID] = parent("workspaces")
    email: Mapped[str] = mapped_column(String(254), unique=True)
    password_hash: Mapped[str]
    role: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime]
    signed_in_at: Mapped[datetime | None]
    disabled_at: Mapped[datetime | None]


class OperatorSessionRow(HasId, Base):
    __tablename__ = "operator_sessions"

    operator_id: Mapped[UUID] = parent("operators")
    sha256: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    started_at: Mapped[datetime]
    used_at: Mapped[datetime]
