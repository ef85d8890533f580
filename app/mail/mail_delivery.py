"""Sends stored mails to a server."""

import random
from collections.abc import Callable
from datetime import timedelta
from email.headerregistry import Address
from typing import Final

import structlog

from app.kit.clock import Clock
from app.mail.mail import message_of
from app.mail.records import MailRecords, WaitingMail
from app.providers.mail.mail_transport import MailFailure, MailTransport
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

LEASE: Final = timedelta(minutes=10)  # longer than any batch takes
KEPT: Final = timedelta(days=14)  # how long a mail that was given up is stored
_SENT_AT_ONCE: Final = 8
_LOCKED: Final = MailFailure("no secret key opens it: it was sealed with one that is gone", is_final=True)


class MailDelivery:
    """`luck` returns numbers in [0, 1).

    An attempt is counted before it is made, and no transaction is open meanwhile. If a process dies between the
    server's response and its own commit, the mail stays claimed: after LEASE it is sent again, with the same
    Message-ID.
    """

    def __init__(
        self,
        records: SystemOfRecord,
        transport: MailTransport,
        sender: Address,
        clock: Clock,
        *,
        luck: Callable[[], float] = random.random,
    ) -> None:
        self._records = records
        self._transport = transport
        self._sender = sender
        self._clock = clock
        self._luck = luck

    async def deliver(self) -> int:
        """Send one batch of due mails, one after the other; return the number of attempts."""
        if not await self._records.read(lambda tx: MailRecords(tx).deliveries.is_any_due()):
            return 0
        lease_until = self._clock.now() + LEASE
        claimed = await self._records.write(lambda tx: MailRecords(tx).claim(_SENT_AT_ONCE, lease_until))
        for waiting in claimed:
            await self._attempt(waiting)
        return len(claimed)

    async def forget(self) -> int:
        """Delete mails that were given up long ago; return how many."""
        before = self._clock.now() - KEPT
        return await self._records.write(lambda tx: MailRecords(tx).forget_given_up(before))

    async def _attempt(self, waiting: WaitingMail) -> None:
        failure = await self._send(waiting)
        own = self._records.of_workspace(waiting.workspace_id)
        if failure is None:
            await own.write(lambda tx: MailRecords(tx).sent(waiting.id))
            return
        attempts, reason, luck = waiting.attempts, failure.reason, None if failure.is_final else self._luck()
        is_dead = await own.write(lambda tx: MailRecords(tx).deliveries.failed(waiting.id, attempts, reason, luck))
        log.warning("mail.failed", mail=str(waiting.id), attempts=attempts, is_dead=is_dead, reason=reason)

    async def _send(self, waiting: WaitingMail) -> MailFailure | None:
        if waiting.mail is None:
            return _LOCKED
        return await self._transport.send(message_of(waiting.mail, waiting.id, self._sender, waiting.written_at))
