"""The keys that sign visitor tokens, which give way to new ones."""

from datetime import timedelta
from typing import Final
from uuid import UUID

from app.core.actor import Actor
from app.kit.clock import Clock
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.workspace import SigningKey

OVERLAP: Final = timedelta(minutes=20)  # longer than a visitor token lives


class SigningKeys:
    """Of the whole installation: for its operator's command line, not for the API."""

    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def rotate(self, actor: Actor, *, at_once: bool = False) -> SigningKey:
        """A new key signs from now on. Tokens of the old ones run out by themselves, or end `at_once`: browsers then
        ask for new ones. Secrets of hooks and webhooks that were drawn from an old key stay as they are."""
        until = self._clock.now() + (timedelta() if at_once else OVERLAP)

        def work(tx: Transaction) -> SigningKey:
            key = TokenRecords(tx).rotate_signing_key(until)
            AuditRecords(tx).acted(actor, "signing_key.rotate", UUID(key.kid), at_once=at_once)
            return key

        return await self._records.write(work)
