"""Webhooks: signed calls to an operator's own server about events of an agent.

Signed according to https://www.standardwebhooks.com, so that receivers can verify a call with a library.
"""

import hashlib
import hmac
import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final, Protocol
from uuid import UUID

import anyio

from app.agents.token_budget import LIMIT_NAMES
from app.core.webhook_event import TURN, WebhookEvent, declared_event, event_of
from app.gaps.gap_digest import WEEKLY, in_words
from app.kit.guarded_client import GuardedClient
from app.sources.source import hook_signature
from app.store.delivery_loop import DueRow
from crawler.errors import CrawlError

SECRET_PREFIX: Final = "whsec_"  # noqa: S105  (so that scanners can find leaked ones)
_SECRET_PREFIX_BEFORE: Final = "dwh_"  # noqa: S105  (of secrets that were shown before the standard was kept)
_PURPOSE: Final = b"docent webhook"
_SENT: Final = (
    *("turn_id", "conversation_id", "gap_id", "count", "source_id", "run_id", "assignee"),
    *("limit", "used_tokens", *LIMIT_NAMES),
)


@dataclass(frozen=True, slots=True)
class Webhook:
    """The secret is not stored, but derived from the installation's signing key `kid` and from `salt`."""

    id: UUID
    agent_id: UUID
    url: str
    events: tuple[WebhookEvent, ...]
    kid: str
    salt: bytes = field(repr=False)
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Delivery(DueRow):
    """One event for one webhook. `signing_key` is None if the key is gone. `kind` and `subject`, ids and figures, come
    from the outbox. `questions` has those of a digest's gaps that still exist."""

    webhook: Webhook
    signing_key: bytes | None = field(repr=False)
    kind: str
    subject: Mapping[str, Any]
    occurred_at: datetime
    questions: Mapping[UUID, str] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        """JSON, with the same bytes at each attempt, except for gaps that were erased or reworded since."""
        payload = {
            "id": str(self.id),
            "event": event_of(self.kind),
            "occurred_at": self.occurred_at.isoformat(),
            "agent_id": str(self.webhook.agent_id),
            **self._details,
        }
        if self.kind.startswith(TURN):
            payload["state"] = self.kind.removeprefix(TURN)
        return json.dumps(payload, separators=(",", ":")).encode()

    @property
    def _details(self) -> Mapping[str, Any]:
        if self.kind == WEEKLY:
            return in_words(self.subject, self.questions)
        event = declared_event(event_of(self.kind))
        sent = (*_SENT, *(event.sent if event else ()))
        return {name: self.subject[name] for name in sent if name in self.subject}


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A delivery that was given up, with the error of its last attempt."""

    id: Annotated[UUID, "The id of the delivery, which the receiver sees in Docent-Delivery."]
    webhook_id: UUID
    event: WebhookEvent
    turn_id: Annotated[UUID | None, "Null for events of a conversation, and for a digest."]
    conversation_id: Annotated[UUID | None, "Null for a digest."]
    attempts: int
    last_error: str
    occurred_at: datetime
    died_at: datetime


def webhook_secret(signing_key: bytes, webhook: Webhook) -> str:
    return SECRET_PREFIX + b64encode(_drawn(signing_key, webhook)).decode()


def signed_headers(delivery: Delivery, signing_key: bytes, sent_at: datetime) -> dict[str, str]:
    """The headers of a delivery attempt: the signature by Standard Webhooks, scheme v1, and our earlier one for
    receivers with an earlier secret."""
    key, body = _drawn(signing_key, delivery.webhook), delivery.body
    delivery_id, timestamp = str(delivery.id), str(int(sent_at.timestamp()))
    signature = hmac.digest(key, f"{delivery_id}.{timestamp}.".encode() + body, hashlib.sha256)
    secret_before = _SECRET_PREFIX_BEFORE + urlsafe_b64encode(key).decode().rstrip("=")
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{b64encode(signature).decode()}",
        "Docent-Delivery": delivery_id,
        "Docent-Event": event_of(delivery.kind).value,
        "Docent-Timestamp": timestamp,
        "Docent-Signature": hook_signature(secret_before, timestamp, body),
    }


def _drawn(signing_key: bytes, webhook: Webhook) -> bytes:
    return hmac.digest(signing_key, _PURPOSE + webhook.id.bytes + webhook.salt, hashlib.sha256)


class WebhookSender(Protocol):
    def canonical(self, url: str) -> str:
        """The canonical form of an address that may be posted to. Raises InvalidInput for `url`."""
        ...

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> str | None:
        """Send once, without following redirects. None if the receiver returned 2xx, else the reason in words. Takes
        seconds, and never raises for what a receiver does."""
        ...


class CrawlerWebhookSender(GuardedClient):
    def canonical(self, url: str) -> str:
        return self._canonical(url, "url", "posted to")

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> str | None:
        try:
            with anyio.fail_after(self._timeout_seconds):
                status = await self._wire.post(self._checked(url), headers, body)
        except TimeoutError:
            return f"no answer within {self._timeout_seconds:g} s"
        except CrawlError as error:
            return error.reason
        return None if 200 <= status < 300 else f"the receiver answered {status}"
