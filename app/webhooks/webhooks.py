"""Webhooks: where an agent's events are posted to, and what could not be delivered."""

import secrets
from collections.abc import Sequence
from typing import Final
from uuid import UUID, uuid4

from app.agents.own_agent import OwnAgent
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.list_page import ListPage, PageRequest
from app.core.webhook_event import WebhookEvent
from app.kit.clock import Clock
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.records import WebhookRecords
from app.webhooks.webhook import DeadLetter, Webhook, webhook_secret
from app.webhooks.webhook_sender import WebhookSender
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.workspace import SigningKey

MAX_WEBHOOKS: Final = 10
_SALT_BYTES: Final = 16


class Webhooks:
    """Every method raises NotFound for what is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord, sender: WebhookSender, clock: Clock) -> None:
        self._records = records
        self._sender = sender
        self._clock = clock

    async def create(
        self, actor: Actor, agent_id: UUID, url: str, events: Sequence[WebhookEvent]
    ) -> tuple[Webhook, str]:
        """With its secret, which is known at this moment only. Raises InvalidInput."""

        def work(tx: Transaction) -> tuple[Webhook, SigningKey]:
            spelt = self._sender.canonical(url)
            if not events:
                raise InvalidInput("events", "Name at least one event.")
            if len(WebhookRecords(tx).of_agent(agent_id)) >= MAX_WEBHOOKS:
                raise InvalidInput("url", f"An agent has at most {MAX_WEBHOOKS} webhooks. Delete one first.")
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
            return webhook, key

        webhook, key = await OwnAgent(self._records, actor, agent_id).write(work)
        return webhook, webhook_secret(key.secret, webhook)

    async def of_agent(self, actor: Actor, agent_id: UUID) -> list[Webhook]:
        """Oldest first."""

        return await OwnAgent(self._records, actor, agent_id).read(lambda tx: WebhookRecords(tx).of_agent(agent_id))

    async def delete(self, actor: Actor, agent_id: UUID, webhook_id: UUID) -> None:
        """What is on its way to it is dropped."""

        def work(tx: Transaction) -> None:
            WebhookRecords(tx).remove(agent_id, webhook_id)
            AuditRecords(tx).acted(actor, "webhook.delete", webhook_id, agent_id=str(agent_id))

        await OwnAgent(self._records, actor, agent_id).write(work)

    async def dead_letters(self, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[DeadLetter]:
        """Latest first."""

        return await OwnAgent(self._records, actor, agent_id).read(
            lambda tx: WebhookRecords(tx).dead_letters(agent_id, page)
        )

    async def retry(self, actor: Actor, agent_id: UUID, delivery_id: UUID) -> None:
        """The dead letter is sent again, under the same id, as often as at first."""

        def work(tx: Transaction) -> None:
            WebhookRecords(tx).revive(agent_id, delivery_id)
            AuditRecords(tx).acted(actor, "webhook.retry", delivery_id, agent_id=str(agent_id))

        await OwnAgent(self._records, actor, agent_id).write(work)
