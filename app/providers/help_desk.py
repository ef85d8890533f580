"""Port: opens tickets in a help desk. Vendors' APIs use JSON; their refusals are put into our words."""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final, Protocol
from urllib.parse import quote
from uuid import UUID

from app.providers.http_caller import CallFailed, HttpCaller

_FINAL: Final = frozenset({400, 404, 405, 410, 413, 415, 422})  # an operator can fix missing access (401, 403)
_TOLD_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class Ticket:
    """`id` is the same at each attempt. `text` is plain, with newlines. `name` and `email` are the visitor's, "" if
    they left none; `visitor_id` is their id in Docent."""

    id: UUID
    subject: str
    text: str
    visitor_id: UUID
    name: str = ""
    email: str = ""

    @property
    def shown_name(self) -> str:
        return self.name or self.email or f"Visitor {str(self.visitor_id)[:8]}"


@dataclass(frozen=True, slots=True)
class TicketReceipt:
    """`number` is the help desk's own; `url` is where its people read the ticket, "" if it names none."""

    number: str
    url: str = ""


class TicketRefused(Exception):
    """`str(error)` is the reason why there is no ticket. `is_final`: another attempt would not help."""

    def __init__(self, reason: str, *, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final


class HelpDesk(Protocol):
    async def open(self, ticket: Ticket) -> TicketReceipt:
        """Takes seconds. Raises TicketRefused."""
        ...


class JsonCalls:
    """Calls an API at `origin`, such as "https://shop.zendesk.com"; `headers` have the credentials."""

    def __init__(self, caller: HttpCaller, origin: str, headers: Mapping[str, str]) -> None:
        self._caller = caller
        self._origin = origin
        self._headers = {"Accept": "application/json", "User-Agent": "Docent-Tickets", **headers}

    async def get(self, path: str) -> Any:
        """Raises TicketRefused."""
        return await self._call("GET", path, None, {})

    async def post(self, path: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Any:
        """Raises TicketRefused."""
        sent = {"Content-Type": "application/json", **(headers or {})}
        return await self._call("POST", path, json.dumps(body).encode(), sent)

    async def _call(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Any:
        try:
            reply = await self._caller.call(method, self._origin + path, {**self._headers, **headers}, body)
        except CallFailed as error:
            raise TicketRefused(str(error)) from error
        if not 200 <= reply.status < 300:
            reason = " ".join(reply.body.decode("utf-8", "replace").split())[:_TOLD_CHARS]
            raise TicketRefused(
                f"the help desk answered {reply.status}{f': {reason}' if reason else ''}",
                is_final=reply.status in _FINAL,
            )
        try:
            return json.loads(reply.body)
        except ValueError as error:
            raise TicketRefused("the help desk's answer is not JSON") from error


def basic(user: str, password: str) -> str:
    """The value of an Authorization header (RFC 7617)."""
    return "Basic " + b64encode(f"{user}:{password}".encode()).decode()


def text_at(answer: Any, *names: str) -> str:
    """The value under these nested names, as text. Raises TicketRefused if there is none."""
    for name in names:
        answer = answer.get(name) if isinstance(answer, dict) else None
    if answer in (None, "") or isinstance(answer, dict | list):
        raise TicketRefused(f"the help desk's answer has no {'.'.join(names)}")
    return str(answer)


class ChatwootHelpDesk:
    """`token` is a user's access token; conversations are opened in `inbox` of `account` (both numbers), with the
    transcript as a private note, so that nothing is sent to the visitor. Chatwoot has no idempotency key: a repeated
    call opens another conversation of the same contact.
    https://developers.chatwoot.com/api-reference/conversations/create-new-conversation"""

    def __init__(self, caller: HttpCaller, origin: str, account: str, inbox: str, token: str) -> None:
        self._calls = JsonCalls(caller, origin, {"api_access_token": token})
        self._account = f"/api/v1/accounts/{account}"
        self._shown = f"{origin}/app/accounts/{account}/conversations"
        self._inbox = int(inbox)

    async def open(self, ticket: Ticket) -> TicketReceipt:
        contact = await self._known(ticket) or await self._made(ticket)
        body = {
            "inbox_id": self._inbox,
            "contact_id": int(contact),
            "status": "open",
            "additional_attributes": {"mail_subject": ticket.subject},
        }
        number = text_at(await self._calls.post(f"{self._account}/conversations", body), "id")
        note = {"content": f"{ticket.subject}\n\n{ticket.text}", "message_type": "outgoing", "private": True}
        await self._calls.post(f"{self._account}/conversations/{quote(number)}/messages", note)
        return TicketReceipt(number, f"{self._shown}/{number}")

    async def _known(self, ticket: Ticket) -> str | None:
        """The id of an existing contact with the ticket's address or identifier: Chatwoot allows no second one."""
        for sought in filter(None, (ticket.email, str(ticket.visitor_id))):
            found = await self._calls.get(f"{self._account}/contacts/search?q={quote(sought, safe='')}")
            contacts: list[dict[str, Any]] = found.get("payload", []) if isinstance(found, dict) else []
            same = [each for each in contacts if sought in (each.get("email"), each.get("identifier"))]
            if same:
                return text_at(same[0], "id")
        return None

    async def _made(self, ticket: Ticket) -> str:
        body = {"inbox_id": self._inbox, "name": ticket.shown_name, "identifier": str(ticket.visitor_id)}
        if ticket.email:
            body["email"] = ticket.email
        return text_at(await self._calls.post(f"{self._account}/contacts", body), "payload", "contact", "id")


_OPEN: Final = 2  # Freshdesk's numbers of a status, a priority and a source
_LOW: Final = 1
_CHAT: Final = 7


class FreshdeskHelpDesk:
    """`key` is an agent's API key. Freshdesk has no idempotency key: a repeated call opens another ticket.
    https://developers.freshdesk.com/api/#create_ticket"""

    def __init__(self, caller: HttpCaller, origin: str, key: str) -> None:
        self._calls = JsonCalls(caller, origin, {"Authorization": basic(key, "X")})
        self._origin = origin

    async def open(self, ticket: Ticket) -> TicketReceipt:
        body: dict[str, Any] = {
            "subject": ticket.subject,
            "description": escape(ticket.text).replace("\n", "<br>"),  # the field is HTML
            "name": ticket.shown_name,
            "status": _OPEN,
            "priority": _LOW,
            "source": _CHAT,
            "tags": ["docent"],
        }
        body |= {"email": ticket.email} if ticket.email else {"unique_external_id": str(ticket.visitor_id)}
        number = text_at(await self._calls.post("/api/v2/tickets", body), "id")
        return TicketReceipt(number, f"{self._origin}/a/tickets/{number}")


_INTERCOM_VERSION: Final = "2.11"


class IntercomHelpDesk:
    """`ticket_type` is the id of a ticket type there, `token` an access token. A visitor without an address becomes a
    lead first. Intercom has no idempotency key: a repeated call opens another ticket.
    https://developers.intercom.com/docs/references/rest-api/api.intercom.io/tickets/createticket"""

    def __init__(self, caller: HttpCaller, origin: str, ticket_type: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}", "Intercom-Version": _INTERCOM_VERSION}
        self._calls = JsonCalls(caller, origin, headers)
        self._ticket_type = ticket_type

    async def open(self, ticket: Ticket) -> TicketReceipt:
        contact = {"email": ticket.email} if ticket.email else {"id": await self._lead(ticket)}
        body = {
            "ticket_type_id": self._ticket_type,
            "contacts": [contact],
            "ticket_attributes": {"_default_title_": ticket.subject, "_default_description_": ticket.text},
        }
        return TicketReceipt(text_at(await self._calls.post("/tickets", body), "ticket_id"))

    async def _lead(self, ticket: Ticket) -> str:
        return text_at(await self._calls.post("/contacts", {"role": "lead", "name": ticket.shown_name}), "id")


class ZendeskHelpDesk:
    """`user` is the e-mail address of an agent there, `token` an API token. A ticket is opened once: Zendesk drops
    repeated calls with the same Idempotency-Key within two hours.
    https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#create-ticket"""

    def __init__(self, caller: HttpCaller, origin: str, user: str, token: str) -> None:
        self._calls = JsonCalls(caller, origin, {"Authorization": basic(f"{user}/token", token)})
        self._origin = origin

    async def open(self, ticket: Ticket) -> TicketReceipt:
        body: dict[str, Any] = {
            "subject": ticket.subject,
            "comment": {"body": ticket.text},
            "external_id": str(ticket.id),
            "tags": ["docent"],
        }
        if ticket.email:  # else the requester is the agent, because a requester needs an address
            body["requester"] = {"name": ticket.shown_name, "email": ticket.email}
        answer = await self._calls.post(
            "/api/v2/tickets.json", {"ticket": body}, {"Idempotency-Key": f"docent-{ticket.id}"}
        )
        number = text_at(answer, "ticket", "id")
        return TicketReceipt(number, f"{self._origin}/agent/tickets/{number}")
