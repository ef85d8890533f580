"""A mailbox whose mails an agent answers."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from app.core.setting import at_most, between, required

MAX_AN_HOUR: Final = 10
"""Mails of one address that are read in an hour; a loop of two programs ends here."""
MAX_A_DAY: Final = 1000
"""Mails that a workspace sends from its mailboxes in 24 hours."""
MAX_PROOFS_A_DAY: Final = 20
"""Mails that ask for a proof, per workspace and 24 hours."""


class ReplyMode(StrEnum):
    SURE = "sure"
    DRAFT = "draft"


@dataclass(frozen=True, slots=True)
class MailboxKeys:
    password: Annotated[
        str,
        at_most(4000),
        "With a token_url, a refresh token, or empty for a token of the client itself. Stored sealed and never shown; "
        "without both secrets, the stored ones are kept while server, user, token_url and client_id are the same.",
    ] = field(default="", repr=False)
    client_secret: Annotated[str, at_most(500), "Of the OAuth client, if it has one. Stored sealed."] = field(
        default="", repr=False
    )


@dataclass(frozen=True, slots=True)
class Mailbox:
    """The password is not part of this value. `uid_validity` and `last_uid` identify the last message that was read
    (RFC 9051, 2.3.1.1); None before the first reading. `proof` is a secret that was mailed to `address`, "" before: if
    it arrives in the mailbox, the address is not somebody else's, and mails are sent from it."""

    id: UUID
    agent_id: UUID
    created_at: datetime
    host: Annotated[str, required(253), "The IMAP server, such as imap.example.com."]
    user: Annotated[str, required(254), "The name to sign in with, mostly the address."]
    address: Annotated[str, required(254), "The address that mails are answered from."]
    port: Annotated[int, between(1, 65535), "993 for TLS, or 143 for STARTTLS."] = 993
    folder: Annotated[str, required(200), "The folder that is read."] = "INBOX"
    reply: Annotated[ReplyMode, '"draft": people send every answer. "sure": those above the threshold are sent.'] = (
        ReplyMode.SURE
    )
    token_url: Annotated[str, at_most(500), "Token endpoint to sign in by OAuth; empty to sign in with a password."] = (
        ""
    )
    client_id: Annotated[str, at_most(200), "The OAuth client."] = ""
    scope: Annotated[str, at_most(500), "The OAuth scope, if the token endpoint wants one."] = ""
    verified_at: Annotated[
        datetime | None,
        "When a mail to the address arrived in the mailbox; null until then, and nothing is sent from it.",
    ] = None
    proof: str = field(default="", repr=False)
    uid_validity: int | None = None
    last_uid: int | None = None
    read_at: Annotated[datetime | None, "When it was last read; null before the first time."] = None
    last_error: Annotated[str, "Why it could not be read the last time; empty if it could."] = ""
