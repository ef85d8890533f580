"""Signed users: a website's server signs its visitor's id and the filter for their answers, so that visitors can
neither impersonate others nor widen the filter."""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Final, Protocol
from uuid import UUID

from app.core.field_rules import MAX_URL_CHARS
from app.core.setting import required

MAX_USER_ID_CHARS: Final = 200
MAX_PROOF_CHARS: Final = 8192  # a signature has 64, a token as many as its claims need
SECRET_PREFIX: Final = "dus_"  # noqa: S105  (so that scanners can find leaked ones)
_PURPOSE: Final = b"docent signed user"


@dataclass(frozen=True, slots=True)
class UserKey:
    """A stored user secret, without the secret itself, which is derived from the installation's signing key `kid` and
    `salt`."""

    agent_id: UUID
    kid: str
    salt: bytes = field(repr=False)
    created_at: datetime


@dataclass(frozen=True, slots=True)
class UserIssuer:
    """An identity provider whose JSON Web Tokens identify the agent's visitors: those of this issuer for this audience,
    signed with a key at `jwks_url`."""

    agent_id: UUID
    issuer: Annotated[str, required(500)]
    audience: Annotated[str, required(500)]
    jwks_url: Annotated[str, required(MAX_URL_CHARS)]
    created_at: datetime


def user_secret(signing_key: bytes, agent_id: UUID, salt: bytes) -> str:
    drawn = hmac.digest(signing_key, _PURPOSE + agent_id.bytes + salt, hashlib.sha256)
    return SECRET_PREFIX + urlsafe_b64encode(drawn).decode().rstrip("=")


def user_signature(secret: str, user_id: str) -> str:
    """HMAC-SHA256 of the user id in UTF-8, in lower-case hexadecimal; the key is the secret as displayed."""
    return hmac.digest(secret.encode(), user_id.encode(), hashlib.sha256).hex()


def attributes_signature(secret: str, text: str, user_id: str = "") -> str:
    """The signature of the lines "attributes", the user id ("" without one) and the attributes: see
    `filter_signature`."""
    return user_signature(secret, f"attributes\n{user_id}\n{text}")


def filter_signature(secret: str, filter_text: str, user_id: str = "") -> str:
    """The signature of three lines: "filter", the user id ("" without one) and the filter. Because user ids are single
    lines, a user's signature cannot pass for a filter's, nor one user's filter for another user's."""
    return user_signature(secret, f"filter\n{user_id}\n{filter_text}")


class KeySetReader(Protocol):
    """Reads the keys that an identity provider publishes, at an address that an operator names."""

    def canonical(self, url: str) -> str:
        """The canonical form of an address that may be read. Raises InvalidInput for `jwks_url`."""
        ...

    async def read(self, url: str) -> bytes:
        """The content of the address, without following redirects. Takes seconds. Raises Unavailable."""
        ...
