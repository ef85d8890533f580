"""Port: hands a message to a mail server."""

from dataclasses import dataclass
from email.message import EmailMessage
from typing import Protocol


@dataclass(frozen=True, slots=True)
class MailFailure:
    """`reason` in words; `is_final` where the server will not take this message later either."""

    reason: str
    is_final: bool = False


class MailTransport(Protocol):
    async def send(self, message: EmailMessage) -> MailFailure | None:
        """None when the server took the message. Takes seconds, and never raises for what a server does."""
        ...

    async def greet(self) -> MailFailure | None:
        """Sign in and send nothing: None when the server would take messages."""
        ...
