"""Conversations of Chatwoot, its tickets: https://developers.chatwoot.com/api-reference/conversations/create-new-conversation"""

from typing import Any
from urllib.parse import quote

from app.providers.help_desks.help_desk import JsonCalls, Ticket, TicketReceipt, told
from app.providers.http_caller import HttpCaller


class ChatwootHelpDesk:
    """`token` is a user's access token; conversations are opened in `inbox` of `account` (both numbers), with the
    transcript as a private note, so that nothing is sent to the visitor. Chatwoot has no idempotency key: a repeated
    call opens another conversation of the same contact."""

    def __init__(self, caller: HttpCaller, origin: str, account: str, inbox: str, token: str) -> None:
        self._calls = JsonCalls(caller, origin, {"api_access_token": token})
        self._account = f"/api/v1/accounts/{account}"
        self._shown = f"{origin}/app/accounts/{account}/conversations"
        self._inbox = int(inbox)

    async def open(self, ticket: Ticket) -> TicketReceipt:
        contact = await self._known(ticket) or await self._made(ticket)
        asked = {
            "inbox_id": self._inbox,
            "contact_id": int(contact),
            "status": "open",
            "additional_attributes": {"mail_subject": ticket.subject},
        }
        number = told(await self._calls.post(f"{self._account}/conversations", asked), "id")
        note = {"content": f"{ticket.subject}\n\n{ticket.text}", "message_type": "outgoing", "private": True}
        await self._calls.post(f"{self._account}/conversations/{quote(number)}/messages", note)
        return TicketReceipt(number, f"{self._shown}/{number}")

    async def _known(self, ticket: Ticket) -> str | None:
        """The contact that exists already: two cannot have the same address or identifier."""
        for sought in filter(None, (ticket.email, str(ticket.visitor_id))):
            found = await self._calls.get(f"{self._account}/contacts/search?q={quote(sought, safe='')}")
            contacts: list[dict[str, Any]] = found.get("payload", []) if isinstance(found, dict) else []
            same = [each for each in contacts if sought in (each.get("email"), each.get("identifier"))]
            if same:
                return told(same[0], "id")
        return None

    async def _made(self, ticket: Ticket) -> str:
        asked = {"inbox_id": self._inbox, "name": ticket.shown_name, "identifier": str(ticket.visitor_id)}
        if ticket.email:
            asked["email"] = ticket.email
        return told(await self._calls.post(f"{self._account}/contacts", asked), "payload", "contact", "id")
