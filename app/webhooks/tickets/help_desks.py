"""Operators set an agent's help desk; events open tickets there, which are retried."""

import random
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog

from app.agents.own_agent import OwnAgent, reads_agent, writes_agent
from app.answers.hand_over_summaries import HandOverSummaries
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.list_page import ListPage, PageRequest
from app.core.webhook_event import News, WebhookEvent, event_of
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.mail.mail import Mail, checked_mail_address
from app.mail.mailer import Mailer
from app.providers.help_desk import TicketRefused
from app.providers.http_caller import HttpCaller
from app.store.delivery_loop import DeliveryLoop, Luck, Outcome, Undelivered
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.tickets.desk_settings import HANDED_OVER, DeskFields, DeskSettings
from app.webhooks.tickets.desks import DESKS, check_desk
from app.webhooks.tickets.records import DueTicket, HelpDeskRecords, TicketRecords, TicketState, WaitingTicket
from app.workspaces.audit_entry import more_changes_of
from app.workspaces.records.audit import AuditRecords

more_changes_of(
    "agent",
    {"set_help_desk": "Help desk set", "clear_help_desk": "Help desk removed", "retry_ticket": "Ticket sent again"},
)


class HelpDesks(Wired):
    """Every method raises NotFound for what does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _mailer: Mailer
    _clock: Clock

    @reads_agent
    def desk(self, tx: Transaction, actor: Actor, agent_id: UUID) -> DeskSettings | None:
        return HelpDeskRecords(tx).desk(agent_id)

    async def set(self, actor: Actor, agent_id: UUID, fields: DeskFields, token: str) -> DeskSettings:
        """Set the help desk. An empty token keeps the stored one while the host is the same. Raises InvalidInput."""
        desk = DeskSettings(**asdict(fields), agent_id=agent_id, created_at=self._clock.now())
        if not DESKS[desk.kind].opened and not self._mailer.is_on:
            raise InvalidInput("kind", "This installation has no mail server. Choose another type.")

        def work(tx: Transaction) -> DeskSettings:
            before = HelpDeskRecords(tx).desk(agent_id)
            is_same = before is not None and (before.kind, before.host) == (desk.kind, desk.host)
            kept = token or ((HelpDeskRecords(tx).token(agent_id) or "") if is_same else "")
            check_desk(desk, kept)
            HelpDeskRecords(tx).set(desk, kept)
            AuditRecords(tx).acted(actor, "agent.set_help_desk", agent_id, kind=desk.kind.value)
            return desk

        return await OwnAgent(self._records, actor, agent_id).write(work)

    @writes_agent
    def clear(self, tx: Transaction, actor: Actor, agent_id: UUID) -> None:
        """Remove the help desk, its pending tickets and the list of tickets."""
        HelpDeskRecords(tx).clear(agent_id)
        AuditRecords(tx).acted(actor, "agent.clear_help_desk", agent_id)

    @reads_agent
    def tickets(self, tx: Transaction, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[TicketState]:
        """Latest first."""
        return TicketRecords(tx).page(agent_id, page)

    @writes_agent
    def retry(self, tx: Transaction, actor: Actor, agent_id: UUID, ticket_id: UUID) -> None:
        """Retry a ticket that was given up, with as many attempts as a new one. The audit log does not name the ticket,
        because it is about a visitor."""
        TicketRecords(tx).revive(agent_id, ticket_id)
        AuditRecords(tx).acted(actor, "agent.retry_ticket", agent_id)


log = structlog.get_logger(__name__)

_CONVERSATION: Final = "/console/agents/{agent}/conversations/{conversation}"
_LOCKED: Final = Undelivered("its token cannot be decrypted: the key that sealed it is gone", is_final=True)
_NO_MAIL: Final = Undelivered("no mail is sent: this installation has no mail server")


class TicketDelivery(DeliveryLoop[DueTicket]):
    LEASE = timedelta(minutes=5)
    BATCH = 4

    def __init__(
        self,
        records: SystemOfRecord,
        caller: HttpCaller,
        mailer: Mailer,
        clock: Clock,
        summaries: HandOverSummaries,
        luck: Luck = random.random,
    ) -> None:
        super().__init__(records, TicketRecords, clock, luck)
        self._summaries = summaries
        self._caller = caller
        self._mailer = mailer

    def put(self, tx: Transaction, news: Sequence[News]) -> None:
        """Queue tickets in the transaction in which the events leave the outbox, so exactly once."""
        if handed_over := [each for each in news if event_of(each.kind) in HANDED_OVER]:
            TicketRecords(tx).put(handed_over)

    def wanting(self, tx: Transaction, event: WebhookEvent, until: datetime) -> list[UUID]:
        """Empty, because help desks take no periodic events."""
        return []

    async def _attempt(self, due: DueTicket) -> Outcome:
        await self._summaries.sum_up(due.workspace_id, due.conversation_id)
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
        self._mailer.put(tx, due.workspace_id, mail, due.conversation_id)
        TicketRecords(tx).opened(due.id, "", "")


def _reply_to(email: str) -> str:
    """The visitor's address; "" if it is not valid for mail, because the form accepts more than mail does."""
    try:
        return email and checked_mail_address("email", email)
    except InvalidInput:
        return ""
