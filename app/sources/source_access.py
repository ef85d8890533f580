"""What a website asks of its readers: a password, a header or a cookie, which an operator gives with the source."""

import re
from base64 import b64encode
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from app.core.errors import InvalidInput

MAX_NAME_CHARS: Final = 200
MAX_SECRET_CHARS: Final = 4096
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # RFC 9110, section 5.6.2
# What the crawler says itself, and what belongs to the connection.
_OURS: Final = frozenset(
    {
        "accept", "accept-encoding", "connection", "content-length", "cookie", "expect", "host", "if-modified-since",
        "if-none-match", "keep-alive", "range", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
    }
)  # fmt: skip


class AccessKind(StrEnum):
    BASIC = "basic"  # a user and a password (RFC 7617)
    HEADER = "header"
    COOKIE = "cookie"


@dataclass(frozen=True, slots=True)
class SourceAccess:
    """`name` is the user's, the header's or the cookie's."""

    kind: AccessKind
    name: str
    secret: str = field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        match self.kind:
            case AccessKind.BASIC:
                return {"Authorization": f"Basic {b64encode(f'{self.name}:{self.secret}'.encode()).decode()}"}
            case AccessKind.HEADER:
                return {self.name: self.secret}
            case AccessKind.COOKIE:
                return {"Cookie": f"{self.name}={self.secret}"}


@dataclass(frozen=True, slots=True)
class AccessFacts:
    """What is told of it: all but the secret."""

    kind: AccessKind
    name: str
    set_at: datetime


def check_access(access: SourceAccess) -> None:
    """Raises InvalidInput, which names the field and repeats nothing of the secret."""
    name, secret = access.name, access.secret
    if not 1 <= len(name) <= MAX_NAME_CHARS or not name.isprintable():
        raise InvalidInput("name", f"Give a name of 1 to {MAX_NAME_CHARS} characters.")
    if not 1 <= len(secret) <= MAX_SECRET_CHARS or not secret.isprintable():
        raise InvalidInput("secret", f"Give 1 to {MAX_SECRET_CHARS} characters on one line.")
    if access.kind is AccessKind.BASIC:
        if ":" in name:
            raise InvalidInput("name", "A user's name has no colon.")
        return
    if not _HEADER_NAME.fullmatch(name):
        raise InvalidInput(
            "name", f"This is not a valid name for a {access.kind.value}. Leave out spaces, colons and the like."
        )
    if access.kind is AccessKind.HEADER and name.lower() in _OURS:
        raise InvalidInput(
            "name", "The crawler sends this header itself. Use another, or the kind that is made for it."
        )
    if not secret.isascii() or secret != secret.strip():
        raise InvalidInput("secret", "A header takes ASCII characters only, without spaces around them.")
