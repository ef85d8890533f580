"""Webhooks, and what is on its way to them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, LargeBinary, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent
from app.store.types import StorableJson

_WAITING = text("next_at IS NOT NULL")


class WebhookRow(HasId, Base):
    """The secret is drawn from a signing key and `salt` whenever it is needed."""

    __tablename__ = "webhooks"

    agent_id: Mapped[UUID] = parent("agents")
    url: Mapped[str]
    events: Mapped[list[str]] = mapped_column(StorableJson)
    kid: Mapped[str] = mapped_column(String(32))
    salt: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime]


class WebhookDeliveryRow(HasId, Base):
    """One outbox row on its way to one webhook. `next_at` is when it is due, and NULL once it was delivered or has
    died."""

    __tablename__ = "webhook_deliveries"

    webhook_id: Mapped[UUID] = parent("webhooks", index=False)
    outbox_id: Mapped[UUID] = parent("outbox")
    attempts: Mapped[int] = mapped_column(default=0)
    last_error: Mapped[str] = mapped_column(default="")
    next_at: Mapped[datetime | None]
    delivered_at: Mapped[datetime | None]
    died_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("webhook_id", "outbox_id"),
        Index("ix_webhook_deliveries_waiting", "next_at", sqlite_where=_WAITING, postgresql_where=_WAITING),
    )
