"""Workspaces, who may act in them, what was done, and which processes serve them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent
from app.store.types import StorableJson


class WorkspaceRow(HasId, Base):
    __tablename__ = "workspaces"

    name: Mapped[str]
    created_at: Mapped[datetime]


class ApiTokenRow(HasId, Base):
    __tablename__ = "api_tokens"

    workspace_id: Mapped[UUID] = parent("workspaces")
    name: Mapped[str]
    sha256: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    prefix: Mapped[str]
    scopes: Mapped[list[str]] = mapped_column(StorableJson)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class SigningKeyRow(Base):
    """Visitor tokens by a key hold until `visitors_until`; what else was drawn from it until it is retired.
    `sealed_by` names the key that opens the secret; NULL: it lies there plain, as a version before left it."""

    __tablename__ = "signing_keys"

    kid: Mapped[str] = mapped_column(String(32), primary_key=True)
    secret: Mapped[bytes] = mapped_column(LargeBinary)
    sealed_by: Mapped[str | None] = mapped_column(String(16))
    created_at: Mapped[datetime]
    retired_at: Mapped[datetime | None]
    visitors_until: Mapped[datetime | None]


class AuditRow(HasId, Base):
    """Append-only: no code of ours changes or removes a row. The hashes are of the subject's own rows, NULL where it
    has none: before it was made, after it was deleted, or because it is a visitor's."""

    __tablename__ = "audit_log"

    workspace_id: Mapped[UUID] = parent("workspaces", index=False)
    actor: Mapped[str]
    action: Mapped[str]
    subject: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column(StorableJson)
    before_sha256: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    after_sha256: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    created_at: Mapped[datetime]

    __table_args__ = (Index(None, "workspace_id", "created_at"),)


class ProcessRow(Base):
    __tablename__ = "processes"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    kind: Mapped[str] = mapped_column(String(20))
    started_at: Mapped[datetime]
    beaten_at: Mapped[datetime]


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
