"""Port: hands a message to a mail server."""

from dataclasses import dataclass
from email.message import EmailMessage
from typing import Protocol


@dataclass(frozen=True, slots=True)
class MailFailure:
    """`reason` is for people; `is_final` if the server will not accept this message later either."""

    reason: str
    is_final: bool = False


class MailTransport(Protocol):
    async def send(self, message: EmailMessage) -> MailFailure | None:
        """None if the server accepted the message. Takes seconds, and never raises for the server's behaviour."""
        ...

    async def greet(self) -> MailFailure | None:
        """Sign in and send nothing: None if the server would accept messages."""
        ...
