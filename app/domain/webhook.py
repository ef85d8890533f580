"""Webhooks: signed calls by which an operator's own server hears of what happened on an agent."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

# After each failed attempt but the last. One attempt more than this has numbers is made in all.
RETRY_AFTER: Final = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=12),
)
SECRET_PREFIX: Final = "dwh_"  # noqa: S105  (so that scanners can find leaked ones)
_PURPOSE: Final = b"docent webhook"
_TURN: Final = "turn."


class WebhookEvent(StrEnum):
    TURN_FINISHED = "turn.finished"
    GAP_DETECTED = "gap.detected"


@dataclass(frozen=True, slots=True)
class Webhook:
    """Its secret is not kept: it is drawn from the installation's signing key `kid` and `salt`."""

    id: UUID
    agent_id: UUID
    url: str
    events: tuple[WebhookEvent, ...]
    kid: str
    salt: bytes = field(repr=False)
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event on its way to one webhook. `id` is the same at each attempt, `attempts` counts this one, `kind` is
    that of the outbox, `subject` the ids that it keeps."""

    id: UUID
    webhook: Webhook
    kind: str
    subject: Mapping[str, str]
    occurred_at: datetime
    attempts: int

    @property
    def body(self) -> bytes:
        """JSON, the same bytes at each attempt."""
        told = {
            "id": str(self.id),
            "event": event_of(self.kind),
            "occurred_at": self.occurred_at.isoformat(),
            "agent_id": str(self.webhook.agent_id),
            "turn_id": self.subject["turn_id"],
            "conversation_id": self.subject["conversation_id"],
        }
        if self.kind.startswith(_TURN):
            told["state"] = self.kind.removeprefix(_TURN)
        return json.dumps(told, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A delivery that was given up, and why its last attempt failed."""

    id: UUID
    webhook_id: UUID
    event: WebhookEvent
    turn_id: UUID
    attempts: int
    last_error: str
    occurred_at: datetime
    died_at: datetime


def event_of(kind: str) -> WebhookEvent:
    """The event that an outbox row of that kind is: "turn.done", "turn.failed", "turn.cut" or "gap.seen"."""
    return WebhookEvent.TURN_FINISHED if kind.startswith(_TURN) else WebhookEvent.GAP_DETECTED


def retry_delay(attempts: int, luck: float) -> timedelta | None:
    """How long to wait after that many failed attempts (1..), up to a fifth more or less by `luck` in [0, 1), so
    that a receiver that comes back is not met by all at once. None: it is given up."""
    if attempts > len(RETRY_AFTER):
        return None
    return RETRY_AFTER[attempts - 1] * (0.8 + 0.4 * luck)


def webhook_secret(signing_key: bytes, webhook_id: UUID, salt: bytes) -> str:
    drawn = hmac.digest(signing_key, _PURPOSE + webhook_id.bytes + salt, hashlib.sha256)
    return SECRET_PREFIX + urlsafe_b64encode(drawn).decode().rstrip("=")
