"""Help desks of agents, and the tickets queued for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from sqlalchemy import Row, String, UniqueConstraint, select

from app.agents.records import AgentRecords
from app.conversations.hand_over import hand_over_of
from app.conversations.live_chat import LiveMessage
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.transcripts import MAX_TEXT_CHARS, transcript
from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.text.untrusted_text import one_line
from app.core.turn import StoredTurn
from app.core.webhook_event import News, WebhookEvent
from app.leads.lead import Lead
from app.leads.records import LeadRecords
from app.providers.help_desk import Ticket
from app.store.delivery_loop import Deliveries, DueRow, delivery_columns
from app.store.schema import Audited, OfVisitors, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.sealed_rows import SealedRows, sealed_columns
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import CONVERSATIONS
from app.store.transaction import Keyset, Repository, new_id, row_of, value_of
from app.webhooks.tickets.desk_settings import HANDED_OVER, DeskKind, DeskSettings

# An agent's help desk. `sealed` is the token for it ("" for mail), sealed with the key `sealed_by`.
HELP_DESKS = table(
    "help_desks",
    Audited("agent", key="agent_id"),
    own_id(),
    parent("agent_id", "agents", unique=True),
    column("kind", String(16)),
    column("host", StorableText),
    column("account", StorableText),
    column("inbox", StorableText),
    column("events", StorableJson),
    *sealed_columns(),
    column("created_at", UtcDateTime),
)

# A ticket for a help desk. `number` and `url` are the help desk's, "" until it accepts the ticket.
TICKETS = table(
    "tickets",
    OfVisitors(),
    own_id(),
    parent("desk_id", "help_desks"),
    parent("outbox_id", "outbox", index=True),
    parent("conversation_id", "conversations", index=True),
    parent("lead_id", "leads", nullable=True, index=True),
    column("number", StorableText),
    column("url", StorableText),
    column("created_at", UtcDateTime),
    *delivery_columns("tickets"),
    UniqueConstraint("desk_id", "outbox_id"),
)

_LATEST_FIRST = Keyset(TICKETS.c.id, descending=True)
_MOST_MESSAGES = 200


@dataclass(frozen=True, slots=True)
class TicketState:
    """A ticket in the list. `first_question` is that of its conversation, "" if it has none. `url` is its page at
    the help desk, "" until the desk has accepted it."""

    id: UUID
    conversation_id: UUID
    first_question: str
    number: Annotated[str, "The number in the help desk; empty until it has accepted the ticket, and for mail."]
    url: str
    attempts: int
    last_error: str
    created_at: datetime
    next_at: Annotated[datetime | None, "When it is tried next; null once it was accepted or has failed for good."]
    died_at: Annotated[datetime | None, "When it failed for good."]


@dataclass(frozen=True, slots=True)
class DueTicket(DueRow):
    kind: DeskKind
    conversation_id: UUID


@dataclass(frozen=True, slots=True)
class WaitingTicket:
    """A ticket to open. `token` is None if it cannot be unsealed."""

    ticket: Ticket
    desk: DeskSettings
    token: str | None


class HelpDeskRecords(Repository):
    def set(self, desk: DeskSettings, token: str) -> None:
        """Store the agent's help desk. Pending tickets go to the new one."""
        known = self._connection.scalar(select(HELP_DESKS.c.id).where(HELP_DESKS.c.agent_id == desk.agent_id))
        values = row_of(desk, HELP_DESKS)
        if known:
            values |= SealedRows(self._tx, HELP_DESKS).sealed(known, token.encode())
            self._update(HELP_DESKS, HELP_DESKS.c.id == known, **values)
        else:
            desk_id = new_id()
            values |= SealedRows(self._tx, HELP_DESKS).sealed(desk_id, token.encode())
            self._connection.execute(self._insert(HELP_DESKS).values(id=desk_id, **values))

    def desk(self, agent_id: UUID) -> DeskSettings | None:
        row = self._connection.execute(select(HELP_DESKS).where(HELP_DESKS.c.agent_id == agent_id)).one_or_none()
        return _desk(row) if row else None

    def token(self, agent_id: UUID) -> str | None:
        """Raises SecretsLocked."""
        row = self._connection.execute(select(HELP_DESKS).where(HELP_DESKS.c.agent_id == agent_id)).one_or_none()
        return SealedRows(self._tx, HELP_DESKS).opened(row).decode() if row else None

    def clear(self, agent_id: UUID) -> None:
        """Delete the help desk with its pending tickets. Raises NotFound."""
        self._delete_one(HELP_DESKS, "help desk", HELP_DESKS.c.agent_id == agent_id)


class TicketRecords(Repository):
    @property
    def deliveries(self) -> Deliveries:
        return Deliveries(self._tx, TICKETS)

    def put(self, news: Sequence[News]) -> None:
        """Queue a ticket for each event whose agent had a subscribed help desk at the time."""
        agents = {each.agent_id for each in news}
        rows = self._connection.execute(select(HELP_DESKS).where(HELP_DESKS.c.agent_id.in_(agents)))
        desks = {row.agent_id: row for row in rows}
        now = self._now()
        self.deliveries.owe(
            [
                {
                    "desk_id": desk.id,
                    "outbox_id": each.id,
                    "conversation_id": UUID(each.payload["conversation_id"]),
                    "lead_id": UUID(each.payload["lead_id"]) if "lead_id" in each.payload else None,
                    "number": "",
                    "url": "",
                    "created_at": now,
                }
                for each in news
                if (desk := desks.get(each.agent_id)) and each.is_wanted(desk.events, desk.created_at)
            ]
        )

    def claim(self, limit: int, lease_until: datetime) -> list[DueTicket]:
        due = self.deliveries.claim(limit, lease_until)
        statement = (
            select(
                TICKETS.c.id, TICKETS.c.attempts, TICKETS.c.conversation_id, AGENTS.c.workspace_id, HELP_DESKS.c.kind
            )
            .join(HELP_DESKS, HELP_DESKS.c.id == TICKETS.c.desk_id)
            .join(AGENTS, AGENTS.c.id == HELP_DESKS.c.agent_id)
            .where(TICKETS.c.id.in_(due))
        )
        return self._values(DueTicket, statement)

    def waiting(self, workspace_id: UUID, ticket_id: UUID, console_url: str) -> WaitingTicket | None:
        """The ticket with its current content; None if its conversation was erased. `console_url` is a template with
        the placeholders {agent} and {conversation}, "" for no link."""
        statement = (
            select(HELP_DESKS, TICKETS.c.conversation_id, TICKETS.c.lead_id, CONVERSATIONS.c.visitor_id)
            .select_from(TICKETS)
            .join(HELP_DESKS, HELP_DESKS.c.id == TICKETS.c.desk_id)
            .join(CONVERSATIONS, CONVERSATIONS.c.id == TICKETS.c.conversation_id)
            .where(TICKETS.c.id == ticket_id)
        )
        row = self._connection.execute(statement).one_or_none()
        if row is None:
            return None
        agent = AgentRecords(self._tx).agent(workspace_id, row.agent_id).draft.name
        turns = StoredTurnRecords(self._tx).of_conversation(row.conversation_id)
        messages = LiveChatRecords(self._tx).messages(row.conversation_id, 0, _MOST_MESSAGES)
        lead = LeadRecords(self._tx).lead(workspace_id, row.lead_id) if row.lead_id else None
        url = console_url.format(agent=row.agent_id, conversation=row.conversation_id)
        ticket = Ticket(
            ticket_id,
            _subject(agent, turns, lead),
            _text(agent, turns, messages, lead, url),
            row.visitor_id,
            lead.name if lead else "",
            lead.email if lead else "",
        )
        token = SealedRows(self._tx, HELP_DESKS).opened_or_none(row)
        return WaitingTicket(ticket, _desk(row), None if token is None else token.decode())

    def opened(self, ticket_id: UUID, number: str, url: str) -> None:
        self.deliveries.delivered(ticket_id)
        values = {"number": number, "url": url}
        self._update(TICKETS, TICKETS.c.id == ticket_id, **values)

    def page(self, agent_id: UUID, page: PageRequest) -> ListPage[TicketState]:
        """Latest first."""
        asked_in = CONVERSATIONS.c.id == TICKETS.c.conversation_id
        statement = select(TICKETS, CONVERSATIONS.c.first_question).join(CONVERSATIONS, asked_in)
        statement = statement.where(TICKETS.c.desk_id.in_(_desk_of(agent_id)))
        return self._page(_LATEST_FIRST, TicketState, statement, page)

    def revive(self, agent_id: UUID, ticket_id: UUID) -> None:
        """Make a ticket that was given up due now, with as many attempts as a new one. Raises NotFound."""
        if not self.deliveries.revive(ticket_id, TICKETS.c.desk_id.in_(_desk_of(agent_id))):
            raise NotFound("ticket")


def _desk_of(agent_id: UUID) -> Any:
    return select(HELP_DESKS.c.id).where(HELP_DESKS.c.agent_id == agent_id)


def _desk(row: Row[Any]) -> DeskSettings:
    events = tuple(WebhookEvent(event) for event in HANDED_OVER if event in row.events)
    return value_of(DeskSettings, row, events=events)


def _subject(agent: str, turns: Sequence[StoredTurn], lead: Lead | None) -> str:
    what = lead.message if lead else turns[-1].question if turns else "a visitor asks for a person"
    return one_line(f"{agent}: {what}")


def _text(
    agent: str, turns: Sequence[StoredTurn], messages: Sequence[LiveMessage], lead: Lead | None, console_url: str
) -> str:
    """The ticket's plain text: the lead, a summary, links, and the conversation, whose beginning is cut to fit
    MAX_TEXT_CHARS."""
    head = []
    if lead:
        who = f"{lead.name} <{lead.email}>" if lead.name else lead.email
        head.append(f"From: {who}\n\n{lead.message}")
    if turns:
        head += [hand_over_of(turns).in_words, f"Asked on {turns[-1].page_url}"]
    if console_url:
        head.append(f"In Docent: {console_url}")
    left = MAX_TEXT_CHARS - sum(map(len, head))
    lines = transcript(turns, messages, visitor="Visitor: ", agent=f"{agent} (automatic): ", max_chars=left)
    return "\n\n".join(filter(None, [*head, *lines]))[:MAX_TEXT_CHARS]
