"""Webhooks: operators add, test and remove them; deliveries are made at least once."""

import asyncio
import random
import secrets
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

import structlog

from app.agents.own_agent import reads_agent, writes_agent
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.list_page import ListPage, PageRequest
from app.core.webhook_event import WebhookEvent
from app.kit.clock import Clock
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.records import WebhookRecords
from app.webhooks.webhook import DeadLetter, Delivery, News, Webhook, WebhookSender, signed_headers, webhook_secret
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


class Webhooks:
    """Every method raises NotFound for what does not exist or belongs to another workspace."""

    def __init__(self, records: SystemOfRecord, sender: WebhookSender, clock: Clock) -> None:
        self._records = records
        self._sender = sender
        self._clock = clock

    @writes_agent
    def create(
        self, tx: Transaction, actor: Actor, agent_id: UUID, url: str, events: Sequence[WebhookEvent]
    ) -> tuple[Webhook, str]:
        """With its secret, which is only returned here. Raises InvalidInput."""
        spelt = self._sender.canonical(url)
        if not events:
            raise InvalidInput("events", "Choose at least one event.")
        if len(WebhookRecords(tx).of_agent(agent_id)) >= MAX_WEBHOOKS:
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
    def of_agent(self, tx: Transaction, actor: Actor, agent_id: UUID) -> list[Webhook]:
        """Oldest first."""
        return WebhookRecords(tx).of_agent(agent_id)

    @writes_agent
    def delete(self, tx: Transaction, actor: Actor, agent_id: UUID, webhook_id: UUID) -> None:
        """Pending deliveries are dropped."""
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

LEASE: Final = timedelta(minutes=2)  # longer than any batch takes
_HANDED_OUT_AT_ONCE: Final = 200
_SENT_AT_ONCE: Final = 8
_KEY_GONE: Final = "the signing key of its secret is gone: make a new webhook"


class WebhookDelivery:
    """`luck` returns numbers in [0, 1); `takers` receive the news in the transaction in which they leave the outbox.

    Attempts are counted before they are made, and no transaction stays open during one. If a process dies between the
    request and its commit, the delivery stays claimed and is sent again after LEASE, with the same id and body.
    """

    def __init__(
        self,
        records: SystemOfRecord,
        sender: WebhookSender,
        clock: Clock,
        *takers: Callable[[Transaction, Sequence[News]], None],
        luck: Callable[[], float] = random.random,
    ) -> None:
        self._records = records
        self._sender = sender
        self._clock = clock
        self._takers = takers
        self._luck = luck

    async def deliver(self) -> int:
        """One batch of due deliveries; returns the number of attempts."""
        if not await self._records.read(lambda tx: WebhookRecords(tx).has_work()):
            return 0

        def work(tx: Transaction) -> tuple[list[Delivery], dict[str, bytes]]:
            keys = {key.kid: key.secret for key in TokenRecords(tx).signing_keys()}
            while news := WebhookRecords(tx).hand_out(_HANDED_OUT_AT_ONCE):
                for take in self._takers:
                    take(tx, news)
            claimed = WebhookRecords(tx).claim(_SENT_AT_ONCE, self._clock.now() + LEASE)
            return claimed, keys

        claimed, keys = await self._records.write(work)
        await asyncio.gather(*(self._attempt(delivery, keys.get(delivery.webhook.kid)) for delivery in claimed))
        return len(claimed)

    async def _attempt(self, delivery: Delivery, signing_key: bytes | None) -> None:
        failure = await self._post(delivery, signing_key) if signing_key else _KEY_GONE
        own = self._records.of_agent(delivery.webhook.agent_id)
        if failure is None:
            await own.write(lambda tx: WebhookRecords(tx).deliveries.delivered(delivery.id))
            return
        attempts, luck = delivery.attempts, self._luck()
        is_dead = await own.write(lambda tx: WebhookRecords(tx).deliveries.failed(delivery.id, attempts, failure, luck))
        log.warning("webhook.failed", delivery=str(delivery.id), attempts=attempts, is_dead=is_dead)

    async def _post(self, delivery: Delivery, signing_key: bytes) -> str | None:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Docent-Webhooks",
            **signed_headers(delivery, signing_key, self._clock.now()),
        }
        return await self._sender.post(delivery.webhook.url, headers, delivery.body)
