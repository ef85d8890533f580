"""Delivers tickets to help desks."""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog

from app.core.errors import InvalidInput
from app.core.webhook_event import News, WebhookEvent, event_of
from app.kit.clock import Clock
from app.mail.mail import Mail, checked_mail_address
from app.mail.mailer import Mailer
from app.providers.help_desk import TicketRefused
from app.providers.http_caller import HttpCaller
from app.store.delivery_loop import DeliveryLoop, Luck, Outcome, Undelivered
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.tickets.desk_settings import HANDED_OVER
from app.webhooks.tickets.desks import DESKS
from app.webhooks.tickets.records import DueTicket, TicketRecords, WaitingTicket

log = structlog.get_logger(__name__)

_CONVERSATION: Final = "/console/agents/{agent}/conversations/{conversation}"
_LOCKED: Final = Undelivered("its token cannot be decrypted: the key that sealed it is gone", is_final=True)
_NO_MAIL: Final = Undelivered("no mail is sent: this installation has no mail server")


class TicketDelivery(DeliveryLoop[DueTicket]):
    LEASE = timedelta(minutes=5)
    BATCH = 4

    def __init__(
        self, records: SystemOfRecord, caller: HttpCaller, mailer: Mailer, clock: Clock, luck: Luck = random.random
    ) -> None:
        super().__init__(records, TicketRecords, clock, luck)
        self._caller = caller
        self._mailer = mailer

    def put(self, tx: Transaction, news: Sequence[News]) -> None:
        """Called in the transaction in which the news leave the outbox, so each is queued exactly once."""
        if handed_over := [each for each in news if event_of(each.kind) in HANDED_OVER]:
            TicketRecords(tx).put(handed_over)

    def wanting(self, tx: Transaction, event: WebhookEvent, until: datetime) -> list[UUID]:
        """None: a desk gets what happens, and nothing is made for it."""
        return []

    async def _attempt(self, due: DueTicket) -> Outcome:
        own, console_url = self._records.of_workspace(due.workspace_id), self._mailer.whole_url(_CONVERSATION)
        waiting = await own.read(lambda tx: TicketRecords(tx).waiting(due.workspace_id, due.id, console_url))
        if waiting is None:
            return lambda tx: None  # its conversation was erased meanwhile
        opened = DESKS[waiting.desk.kind].opened
        if opened is None:
            return (lambda tx: self._put_mail(tx, due, waiting)) if self._mailer.is_on else _NO_MAIL
        if waiting.token is None:
            return _LOCKED
        try:
            receipt = await opened(self._caller, waiting.desk, waiting.token).open(waiting.ticket)
        except TicketRefused as error:
            return Undelivered(str(error), error.is_final)
        return lambda tx: TicketRecords(tx).opened(due.id, receipt.number, receipt.url)

    def _log_failure(self, due: DueTicket, reason: str, *, is_dead: bool) -> None:
        log.warning("ticket.failed", ticket=str(due.id), kind=due.kind, attempts=due.attempts, is_dead=is_dead)

    def _put_mail(self, tx: Transaction, due: DueTicket, waiting: WaitingTicket) -> None:
        ticket, reply_to = waiting.ticket, _reply_to(waiting.ticket.email)
        mail = Mail(waiting.desk.account, ticket.subject, ticket.text.split("\n\n"), reply_to=reply_to)
        self._mailer.put(tx, due.workspace_id, mail)
        TicketRecords(tx).opened(due.id, "", "")


def _reply_to(email: str) -> str:
    """Browsers accept addresses that mail cannot be sent to."""
    try:
        return email and checked_mail_address("email", email)
    except InvalidInput:
        return ""
