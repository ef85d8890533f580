"""Delivers tickets to help desks, at least once."""

import asyncio
import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog

from app.core.errors import InvalidInput
from app.kit.clock import Clock
from app.mail.mail import Mail, checked_mail_address
from app.mail.mailer import Mailer
from app.providers.help_desks.chatwoot_help_desk import ChatwootHelpDesk
from app.providers.help_desks.freshdesk_help_desk import FreshdeskHelpDesk
from app.providers.help_desks.help_desk import HelpDesk, TicketReceipt, TicketRefused
from app.providers.help_desks.intercom_help_desk import IntercomHelpDesk
from app.providers.help_desks.zendesk_help_desk import ZendeskHelpDesk
from app.providers.http_caller import HttpCaller
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.tickets.desk_settings import HANDED_OVER, DeskKind, DeskSettings
from app.webhooks.tickets.records import TicketRecords, WaitingTicket
from app.webhooks.webhook import News, event_of

log = structlog.get_logger(__name__)

LEASE: Final = timedelta(minutes=5)  # longer than any batch takes
_SENT_AT_ONCE: Final = 4
_CONVERSATION: Final = "/console/agents/{agent}/conversations/{conversation}"
_LOCKED: Final = TicketRefused("its token cannot be decrypted: the key that sealed it is gone", is_final=True)
_NO_MAIL: Final = TicketRefused("no mail is sent: this installation has no mail server")


class TicketDelivery:
    """`luck` returns numbers in [0, 1). Attempts are counted before they are made, and no transaction stays open during
    one. When a process dies between the help desk's response and its commit, the ticket stays claimed and is sent again
    after LEASE, with the same id."""

    def __init__(
        self,
        records: SystemOfRecord,
        caller: HttpCaller,
        mailer: Mailer,
        clock: Clock,
        *,
        luck: Callable[[], float] = random.random,
    ) -> None:
        self._records = records
        self._caller = caller
        self._mailer = mailer
        self._clock = clock
        self._luck = luck

    def put(self, tx: Transaction, news: Sequence[News]) -> None:
        """Called in the transaction in which the news leave the outbox, so each is queued exactly once."""
        if handed_over := [each for each in news if event_of(each.kind) in HANDED_OVER]:
            TicketRecords(tx).put(handed_over)

    async def deliver(self) -> int:
        """One batch of due tickets; return the number of attempts."""
        if not await self._records.read(lambda tx: TicketRecords(tx).deliveries.is_any_due()):
            return 0
        lease_until = self._clock.now() + LEASE
        claimed = await self._records.write(lambda tx: TicketRecords(tx).claim(_SENT_AT_ONCE, lease_until))
        await asyncio.gather(*(self._attempt(*each) for each in claimed))
        return len(claimed)

    async def _attempt(self, ticket_id: UUID, attempts: int, workspace_id: UUID) -> None:
        own = self._records.of_workspace(workspace_id)
        console_url = self._mailer.whole_url(_CONVERSATION)
        waiting = await own.read(lambda tx: TicketRecords(tx).waiting(workspace_id, ticket_id, attempts, console_url))
        if waiting is None:
            return
        try:
            if waiting.desk.kind is DeskKind.MAIL:
                await own.write(lambda tx: self._put_mail(tx, waiting))
            else:
                receipt = await self._open(waiting)
                await own.write(lambda tx: TicketRecords(tx).opened(ticket_id, receipt.number, receipt.url))
        except TicketRefused as error:
            reason, luck = str(error), None if error.is_final else self._luck()
            is_dead = await own.write(lambda tx: TicketRecords(tx).deliveries.failed(ticket_id, attempts, reason, luck))
            kind = waiting.desk.kind.value
            log.warning("ticket.failed", ticket=str(ticket_id), kind=kind, attempts=attempts, is_dead=is_dead)

    def _put_mail(self, tx: Transaction, waiting: WaitingTicket) -> None:
        """Raises TicketRefused."""
        if not self._mailer.is_on:
            raise _NO_MAIL
        ticket = waiting.ticket
        mail = Mail(
            to=waiting.desk.account,
            subject=ticket.subject,
            paragraphs=ticket.text.split("\n\n"),
            reply_to=_reply_to(ticket.email),
        )
        self._mailer.put(tx, waiting.workspace_id, mail)
        TicketRecords(tx).opened(ticket.id, "", "")

    async def _open(self, waiting: WaitingTicket) -> TicketReceipt:
        """Raises TicketRefused."""
        if waiting.token is None:
            raise _LOCKED
        return await _help_desk(waiting.desk, waiting.token, self._caller).open(waiting.ticket)


def _reply_to(email: str) -> str:
    """Browsers accept addresses that mail cannot be sent to."""
    try:
        return email and checked_mail_address("email", email)
    except InvalidInput:
        return ""


def _help_desk(desk: DeskSettings, token: str, caller: HttpCaller) -> HelpDesk:
    if desk.kind is DeskKind.ZENDESK:
        return ZendeskHelpDesk(caller, desk.origin, desk.account, token)
    if desk.kind is DeskKind.FRESHDESK:
        return FreshdeskHelpDesk(caller, desk.origin, token)
    if desk.kind is DeskKind.INTERCOM:
        return IntercomHelpDesk(caller, desk.origin, desk.account, token)
    return ChatwootHelpDesk(caller, desk.origin, desk.account, desk.inbox, token)
