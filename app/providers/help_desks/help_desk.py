"""Port: opens tickets in a help desk. Vendors' APIs use JSON; their refusals are put into our words."""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol
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
    """No ticket was opened, or it is unknown; `str(error)` is the reason. `is_final` if another attempt would not
    help."""

    def __init__(self, reason: str, *, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final


class HelpDesk(Protocol):
    async def open(self, ticket: Ticket) -> TicketReceipt:
        """Takes seconds. Raises TicketRefused."""
        ...


class JsonCalls:
    """`origin` is such as "https://shop.zendesk.com"; `headers` have the credentials."""

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
            said = " ".join(reply.body.decode("utf-8", "replace").split())[:_TOLD_CHARS]
            raise TicketRefused(
                f"the help desk answered {reply.status}{f': {said}' if said else ''}", is_final=reply.status in _FINAL
            )
        try:
            return json.loads(reply.body)
        except ValueError as error:
            raise TicketRefused("the help desk's answer is not JSON") from error


def basic(user: str, password: str) -> str:
    """The value of an Authorization header (RFC 7617)."""
    return "Basic " + b64encode(f"{user}:{password}".encode()).decode()


def told(answer: Any, *names: str) -> str:
    """The value under these nested names, as text. Raises TicketRefused if there is none, because the responder is no
    such API."""
    for name in names:
        answer = answer.get(name) if isinstance(answer, dict) else None
    if answer in (None, "") or isinstance(answer, dict | list):
        raise TicketRefused(f"the help desk's answer has no {'.'.join(names)}")
    return str(answer)
