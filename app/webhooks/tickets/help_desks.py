"""Use cases of an agent's help desk: set it, list its tickets, retry one."""

from dataclasses import asdict
from uuid import UUID

from app.agents.own_agent import OwnAgent, reads_agent, writes_agent
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.list_page import ListPage, PageRequest
from app.kit.clock import Clock
from app.mail.mailer import Mailer
from app.store.system_of_record import SystemOfRecord, Transaction
from app.webhooks.tickets.desk_settings import DeskFields, DeskSettings
from app.webhooks.tickets.desks import DESKS, check_desk
from app.webhooks.tickets.records import HelpDeskRecords, TicketRecords, TicketState
from app.workspaces.audit_entry import more_changes_of
from app.workspaces.records.audit import AuditRecords

more_changes_of(
    "agent",
    {"set_help_desk": "Help desk set", "clear_help_desk": "Help desk removed", "retry_ticket": "Ticket sent again"},
)


class HelpDesks:
    """Every method raises NotFound for what does not exist or belongs to another workspace."""

    def __init__(self, records: SystemOfRecord, mailer: Mailer, clock: Clock) -> None:
        self._records = records
        self._clock = clock
        self._mailer = mailer

    @reads_agent
    def desk(self, tx: Transaction, actor: Actor, agent_id: UUID) -> DeskSettings | None:
        return HelpDeskRecords(tx).desk(agent_id)

    async def set(self, actor: Actor, agent_id: UUID, fields: DeskFields, token: str) -> DeskSettings:
        """An empty token keeps the stored one while the host is the same. Raises InvalidInput."""
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
        """Drops pending tickets and the list of tickets."""
        HelpDeskRecords(tx).clear(agent_id)
        AuditRecords(tx).acted(actor, "agent.clear_help_desk", agent_id)

    @reads_agent
    def tickets(self, tx: Transaction, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[TicketState]:
        """Latest first."""
        return TicketRecords(tx).page(agent_id, page)

    @writes_agent
    def retry(self, tx: Transaction, actor: Actor, agent_id: UUID, ticket_id: UUID) -> None:
        """Send a ticket that was given up again, with as many attempts as a new one. The audit log does not name the
        ticket: it is about a visitor."""
        TicketRecords(tx).revive(agent_id, ticket_id)
        AuditRecords(tx).acted(actor, "agent.retry_ticket", agent_id)
