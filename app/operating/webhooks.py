"""Webhooks: where an agent's events are posted to, and what could not be delivered."""

import secrets
from collections.abc import Sequence
from typing import Final
from uuid import UUID, uuid4

from app.domain.errors import InvalidInput
from app.domain.list_page import ListPage, PageRequest
from app.domain.webhook import DeadLetter, Webhook, WebhookEvent, webhook_secret
from app.operating.actor import Actor
from app.ports.clock import Clock
from app.ports.webhook_sender import WebhookSender
from app.store.agents import AgentRecords
from app.store.audit import AuditRecords
from app.store.system_of_record import SystemOfRecord
from app.store.tokens import TokenRecords
from app.store.webhooks import WebhookRecords

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
        async with self._records.write() as tx:
            await AgentRecords(tx).get(actor.workspace_id, agent_id)
            spelt = self._sender.canonical(url)
            if not events:
                raise InvalidInput("events", "Name at least one event.")
            if len(await WebhookRecords(tx).of_agent(agent_id)) >= MAX_WEBHOOKS:
                raise InvalidInput("url", f"An agent has at most {MAX_WEBHOOKS} webhooks. Delete one first.")
            key = (await TokenRecords(tx).signing_keys())[0]
            webhook = Webhook(
                id=uuid4(),
                agent_id=agent_id,
                url=spelt,
                events=tuple(dict.fromkeys(events)),
                kid=key.kid,
                salt=secrets.token_bytes(_SALT_BYTES),
                created_at=self._clock.now(),
            )
            await WebhookRecords(tx).add(webhook)
            await AuditRecords(tx).record(
                actor.workspace_id, actor.name, "webhook.create", str(webhook.id), {"agent_id": str(agent_id)}
            )
        return webhook, webhook_secret(key.secret, webhook.id, webhook.salt)

    async def of_agent(self, actor: Actor, agent_id: UUID) -> list[Webhook]:
        """Oldest first."""
        async with self._records.read() as tx:
            await AgentRecords(tx).get(actor.workspace_id, agent_id)
            return await WebhookRecords(tx).of_agent(agent_id)

    async def delete(self, actor: Actor, agent_id: UUID, webhook_id: UUID) -> None:
        """What is on its way to it is dropped."""
        async with self._records.write() as tx:
            await AgentRecords(tx).get(actor.workspace_id, agent_id)
            await WebhookRecords(tx).remove(agent_id, webhook_id)
            await AuditRecords(tx).record(
                actor.workspace_id, actor.name, "webhook.delete", str(webhook_id), {"agent_id": str(agent_id)}
            )

    async def dead_letters(self, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[DeadLetter]:
        """Latest first."""
        async with self._records.read() as tx:
            await AgentRecords(tx).get(actor.workspace_id, agent_id)
            return await WebhookRecords(tx).dead_letters(agent_id, page)

    async def retry(self, actor: Actor, agent_id: UUID, delivery_id: UUID) -> None:
        """The dead letter is sent again, under the same id, as often as at first."""
        async with self._records.write() as tx:
            await AgentRecords(tx).get(actor.workspace_id, agent_id)
            await WebhookRecords(tx).revive(agent_id, delivery_id)
            await AuditRecords(tx).record(
                actor.workspace_id, actor.name, "webhook.retry", str(delivery_id), {"agent_id": str(agent_id)}
            )
