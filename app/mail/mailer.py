"""Queues mails in the transaction of a use case, for a worker to send."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from email.headerregistry import Address
from typing import Final
from uuid import UUID

import structlog

from app.core.errors import InvalidInput
from app.kit.clock import Clock
from app.mail.mail import Mail, checked_mail_address, message_of
from app.mail.records import MailRecords, WaitingMail
from app.providers.mail_transport import MailTransport
from app.store.delivery_loop import DeliveryLoop, Luck, Outcome, Undelivered
from app.store.system_of_record import SystemOfRecord, Transaction


class Mailer:
    """`is_on` if the installation has a mail server. `public_url` is where people open Docent, "" if it is not set."""

    def __init__(self, *, is_on: bool, public_url: str) -> None:
        self.is_on = is_on
        self._public_url = public_url

    def put(self, tx: Transaction, workspace_id: UUID, mail: Mail, conversation_id: UUID | None = None) -> UUID:
        """Queue the mail, to be sent if this transaction is committed. Returns its id, the first part of its
        Message-ID. Only while `is_on`. `conversation_id` is the one that the mail quotes, with which it is erased.
        Raises InvalidInput for "email" if no mail can be sent to the address."""
        checked = replace(mail, to=checked_mail_address("email", mail.to))
        return MailRecords(tx).add(workspace_id, checked, conversation_id)

    def put_and_drop(self, tx: Transaction, workspace_id: UUID, mail: Mail) -> None:
        """Takes as long as `put` but sends nothing, so that the time does not reveal whether there was a recipient."""
        MailRecords(tx).sent(self.put(tx, workspace_id, mail))

    def url(self, path: str) -> str:
        """The address of a page of Docent with this path, such as "/console/operators"."""
        return self._public_url + path

    def whole_url(self, path: str) -> str:
        """The absolute address for readers elsewhere; "" if no public URL is set."""
        return self.url(path) if self._public_url else ""


log = structlog.get_logger(__name__)

_LOCKED: Final = Undelivered("no secret key opens it: it was sealed with one that is gone", is_final=True)


class MailDelivery(DeliveryLoop[WaitingMail]):
    """Sends queued mails. A repeated mail has the same Message-ID."""

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
        for waiting in claimed:  # one after the other, in one connection
            await self._settle(waiting)

    async def _attempt(self, due: WaitingMail) -> Outcome:
        if due.mail is None:
            return _LOCKED
        try:
            message = message_of(due.mail, due.id, self._sender, due.written_at)
        except InvalidInput as error:
            return Undelivered(str(error), is_final=True)
        failure = await self._transport.send(message)
        return Undelivered(failure.reason, failure.is_final) if failure else lambda tx: MailRecords(tx).sent(due.id)

    def _log_failure(self, due: WaitingMail, reason: str, *, is_dead: bool) -> None:
        log.warning("mail.failed", mail=str(due.id), attempts=due.attempts, is_dead=is_dead, reason=reason)
