"""Webhooks: operators add, test and remove them; deliveries are made at least once."""

import random
import secrets
from collections.abc import Sequence
from typing import Final
from uuid import UUID, uuid4

import structlog

from app.agents.own_agent import reads_agent, writes_agent
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.list_page import ListPage, PageRequest
from app.core.webhook_event import WebhookEvent
from app.feature import NewsTaker
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.store.delivery_loop import DeliveryLoop, Luck, Outcome, Undelivered
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.records import WebhookRecords
from app.webhooks.webhook import DeadLetter, Delivery, Webhook, WebhookSender, signed_headers, webhook_secret
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.tokens import TokenRecords

MAX_WEBHOOKS: Final = 10
_SALT_BYTES: Final = 16

changes_of(
    "webhook",
    "Webhook",
    "Webhooks",
    {"create": "Webhook added", "delete": "Webhook removed", "retry": "Delivery sent again"},
)


class Webhooks(Wired):
    """Every method raises NotFound for what does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _sender: WebhookSender
    _clock: Clock

    @writes_agent
    def create(
        self, tx: Transaction, actor: Actor, agent_id: UUID, url: str, events: Sequence[WebhookEvent]
    ) -> tuple[Webhook, str]:
        """Add a webhook; return it with its secret, which cannot be shown again. Raises InvalidInput."""
        spelt = self._sender.canonical(url)
        if not events:
            raise InvalidInput("events", "Choose at least one event.")
        if len(WebhookRecords(tx).webhooks(agent_id)) >= MAX_WEBHOOKS:
            raise InvalidInput("url", f"An agent can have at most {MAX_WEBHOOKS} webhooks. Remove one first.")
        key = TokenRecords(tx).signing_keys()[0]
        webhook = Webhook(
            id=uuid4(),
            agent_id=agent_id,
            url=spelt,
            events=tuple(dict.fromkeys(events)),
            kid=key.kid,
            salt=secrets.token_bytes(_SALT_BYTES),
            created_at=self._clock.now(),
        )
        WebhookRecords(tx).add(webhook)
        AuditRecords(tx).acted(actor, "webhook.create", webhook.id, agent_id=str(agent_id))
        return webhook, webhook_secret(key.secret, webhook)

    @reads_agent
    def webhooks(self, tx: Transaction, actor: Actor, agent_id: UUID) -> list[Webhook]:
        """Oldest first."""
        return WebhookRecords(tx).webhooks(agent_id)

    @writes_agent
    def delete(self, tx: Transaction, actor: Actor, agent_id: UUID, webhook_id: UUID) -> None:
        """Delete the webhook and its pending deliveries."""
        WebhookRecords(tx).remove(agent_id, webhook_id)
        AuditRecords(tx).acted(actor, "webhook.delete", webhook_id, agent_id=str(agent_id))

    @reads_agent
    def dead_letters(self, tx: Transaction, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[DeadLetter]:
        """Latest first."""
        return WebhookRecords(tx).dead_letters(agent_id, page)

    @writes_agent
    def retry(self, tx: Transaction, actor: Actor, agent_id: UUID, delivery_id: UUID) -> None:
        """Send the dead letter again, with the same id and as many attempts as at first."""
        WebhookRecords(tx).revive(agent_id, delivery_id)
        AuditRecords(tx).acted(actor, "webhook.retry", delivery_id, agent_id=str(agent_id))


log = structlog.get_logger(__name__)

_HANDED_OUT_AT_ONCE: Final = 200
_JSON_HEADERS: Final = {"Content-Type": "application/json", "User-Agent": "Docent-Webhooks"}
_KEY_GONE: Final = Undelivered("the signing key of its secret is gone: make a new webhook")


class WebhookDelivery(DeliveryLoop[Delivery]):
    """`takers` receive events in the transaction in which these leave the outbox."""

    def __init__(
        self,
        records: SystemOfRecord,
        sender: WebhookSender,
        clock: Clock,
        takers: Sequence[NewsTaker] = (),
        luck: Luck = random.random,
    ) -> None:
        super().__init__(records, WebhookRecords, clock, luck)
        self._sender = sender
        self._takers = takers

    def _has_work(self, tx: Transaction) -> bool:
        return WebhookRecords(tx).has_work()

    def _claim(self, tx: Transaction) -> list[Delivery]:
        while news := WebhookRecords(tx).hand_out(_HANDED_OUT_AT_ONCE):
            for taker in self._takers:
                taker.put(tx, news)
            Outbox(tx).drop([each.id for each in news])
        return super()._claim(tx)

    async def _attempt(self, due: Delivery) -> Outcome:
        if due.signing_key is None:
            return _KEY_GONE
        signature = signed_headers(due, due.signing_key, self._clock.now())
        failure = await self._sender.post(due.webhook.url, _JSON_HEADERS | signature, due.body)
        return Undelivered(failure) if failure else lambda tx: WebhookRecords(tx).delivered(due.id)

    def _log_failure(self, due: Delivery, reason: str, *, is_dead: bool) -> None:
        log.warning("webhook.failed", delivery=str(due.id), attempts=due.attempts, is_dead=is_dead)
