"""The outbox on its way to webhooks, at least once and under one id for each event and webhook, and to others."""

import asyncio
import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final

import structlog

from app.kit.clock import Clock
from app.kit.retry_schedule import retry_at
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.records import WebhookRecords
from app.webhooks.webhook import Delivery, News, signed_headers
from app.webhooks.webhook_sender import WebhookSender
from app.workspaces.records.tokens import TokenRecords

log = structlog.get_logger(__name__)

LEASE: Final = timedelta(minutes=2)  # longer than any batch takes
_HANDED_OUT_AT_ONCE: Final = 200
_SENT_AT_ONCE: Final = 8
_KEY_GONE: Final = "the signing key of its secret is gone: make a new webhook"


class WebhookDelivery:
    """`luck` gives numbers in [0, 1); `takers` are handed the news in the transaction in which they leave the outbox.

    An attempt is counted before it is made, and no transaction is held over it. A process that dies between the post
    and its commit leaves the delivery claimed: after LEASE it is sent again, with the same id and body.
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
        """One batch of what is due; return how many attempts were made."""
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
        next_at = retry_at(self._clock.now(), delivery.attempts, self._luck())
        await own.write(
            lambda tx: WebhookRecords(tx).deliveries.failed(delivery.id, delivery.attempts, failure, next_at)
        )
        log.warning("webhook.failed", delivery=str(delivery.id), attempts=delivery.attempts, is_dead=next_at is None)

    async def _post(self, delivery: Delivery, signing_key: bytes) -> str | None:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Docent-Webhooks",
            **signed_headers(delivery, signing_key, self._clock.now()),
        }
        return await self._sender.post(delivery.webhook.url, headers, delivery.body)
