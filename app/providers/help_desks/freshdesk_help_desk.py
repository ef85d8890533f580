"""Tickets of Freshdesk: https://developers.freshdesk.com/api/#create_ticket"""

from html import escape
from typing import Any, Final

from app.providers.help_desks.help_desk import JsonCalls, Ticket, TicketReceipt, basic, told
from app.providers.http_caller import HttpCaller

_OPEN: Final = 2  # Freshdesk's numbers of a status, a priority and a source
_LOW: Final = 1
_CHAT: Final = 7


class FreshdeskHelpDesk:
    """`key` is an agent's API key. Freshdesk has no idempotency key: a repeated call opens another ticket."""

    def __init__(self, caller: HttpCaller, origin: str, key: str) -> None:
        self._calls = JsonCalls(caller, origin, {"Authorization": basic(key, "X")})
        self._origin = origin

    async def open(self, ticket: Ticket) -> TicketReceipt:
        asked: dict[str, Any] = {
            "subject": ticket.subject,
            "description": escape(ticket.text).replace("\n", "<br>"),  # the field is HTML
            "name": ticket.shown_name,
            "status": _OPEN,
            "priority": _LOW,
            "source": _CHAT,
            "tags": ["docent"],
        }
        asked |= {"email": ticket.email} if ticket.email else {"unique_external_id": str(ticket.visitor_id)}
        number = told(await self._calls.post("/api/v2/tickets", asked), "id")
        return TicketReceipt(number, f"{self._origin}/a/tickets/{number}")
