"""Tickets of Intercom: https://developers.intercom.com/docs/references/rest-api/api.intercom.io/tickets/createticket"""

from typing import Final

from app.providers.help_desks.help_desk import JsonCalls, Ticket, TicketReceipt, told
from app.providers.http_caller import HttpCaller

_VERSION: Final = "2.11"


class IntercomHelpDesk:
    """`ticket_type` is the id of a ticket type there, `token` an access token. A visitor without an address becomes a
    lead first. Intercom has no idempotency key: a repeated call opens another ticket."""

    def __init__(self, caller: HttpCaller, origin: str, ticket_type: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}", "Intercom-Version": _VERSION}
        self._calls = JsonCalls(caller, origin, headers)
        self._ticket_type = ticket_type

    async def open(self, ticket: Ticket) -> TicketReceipt:
        contact = {"email": ticket.email} if ticket.email else {"id": await self._lead(ticket)}
        asked = {
            "ticket_type_id": self._ticket_type,
            "contacts": [contact],
            "ticket_attributes": {"_default_title_": ticket.subject, "_default_description_": ticket.text},
        }
        return TicketReceipt(told(await self._calls.post("/tickets", asked), "ticket_id"))

    async def _lead(self, ticket: Ticket) -> str:
        return told(await self._calls.post("/contacts", {"role": "lead", "name": ticket.shown_name}), "id")
