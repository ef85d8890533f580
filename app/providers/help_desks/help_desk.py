"""Port: opens tickets in somebody's help desk."""

from dataclasses import dataclass
from typing import Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Ticket:
    """`id` is the same at each attempt. `text` is plain, with newlines. `name` and `email` are the visitor's, "" where
    they left none; `visitor_id` is who they are to us."""

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
    """`number` is the help desk's own, `url` where its people read the ticket, "" where it does not say."""

    number: str
    url: str = ""


class TicketRefused(Exception):
    """No ticket was opened, or nobody knows: `str(error)` says why. `is_final` where another attempt would not help."""

    def __init__(self, reason: str, *, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final


class HelpDesk(Protocol):
    async def open(self, ticket: Ticket) -> TicketReceipt:
        """Takes seconds. Raises TicketRefused."""
        ...
