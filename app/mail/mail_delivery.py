"""Sends stored mails to a server."""

import random
from collections.abc import Sequence
from datetime import timedelta
from email.headerregistry import Address
from typing import Final

import structlog

from app.kit.clock import Clock
from app.mail.mail import message_of
from app.mail.records import MailRecords, WaitingMail
from app.providers.mail.mail_transport import MailTransport
from app.store.delivery_loop import DeliveryLoop, Luck, Outcome, Undelivered
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

_LOCKED: Final = Undelivered("no secret key opens it: it was sealed with one that is gone", is_final=True)


class MailDelivery(DeliveryLoop[WaitingMail]):
    """A mail that is sent again has the same Message-ID."""

    LEASE = timedelta(minutes=10)

    def __init__(
        self,
        records: SystemOfRecord,
        transport: MailTransport,
        sender: Address,
        clock: Clock,
        *,
        luck: Luck = random.random,
    ) -> None:
        super().__init__(records, MailRecords, clock, luck)
        self._transport = transport
        self._sender = sender

    async def _settle_all(self, claimed: Sequence[WaitingMail]) -> None:
        for waiting in claimed:  # in one connection at a time
            await self._settle(waiting)

    async def _attempt(self, due: WaitingMail) -> Outcome:
        if due.mail is None:
            return _LOCKED
        failure = await self._transport.send(message_of(due.mail, due.id, self._sender, due.written_at))
        return Undelivered(failure.reason, failure.is_final) if failure else lambda tx: MailRecords(tx).sent(due.id)

    def _log_failure(self, due: WaitingMail, reason: str, *, is_dead: bool) -> None:
        log.warning("mail.failed", mail=str(due.id), attempts=due.attempts, is_dead=is_dead, reason=reason)
