"""Tickets of Zendesk Support: https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#create-ticket"""

from typing import Any

from app.providers.help_desks.help_desk import JsonCalls, Ticket, TicketReceipt, basic, told
from app.providers.http_caller import HttpCaller


class ZendeskHelpDesk:
    """`user` is the e-mail address of an agent there, `token` an API token. A ticket is opened once: Zendesk drops
    repeated calls with the same Idempotency-Key within two hours."""

    def __init__(self, caller: HttpCaller, origin: str, user: str, token: str) -> None:
        self._calls = JsonCalls(caller, origin, {"Authorization": basic(f"{user}/token", token)})
        self._origin = origin

    async def open(self, ticket: Ticket) -> TicketReceipt:
        asked: dict[str, Any] = {
            "subject": ticket.subject,
            "comment": {"body": ticket.text},
            "external_id": str(ticket.id),
            "tags": ["docent"],
        }
        if ticket.email:  # else the requester is the agent, because a requester needs an address
            asked["requester"] = {"name": ticket.shown_name, "email": ticket.email}
        answer = await self._calls.post(
            "/api/v2/tickets.json", {"ticket": asked}, {"Idempotency-Key": f"docent-{ticket.id}"}
        )
        number = told(answer, "ticket", "id")
        return TicketReceipt(number, f"{self._origin}/agent/tickets/{number}")
