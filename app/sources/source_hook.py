"""A publish hook: a signed call by which a website says that pages of a source have changed."""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID

WINDOW: Final = timedelta(minutes=5)
SECRET_PREFIX: Final = "dhk_"  # noqa: S105  (so that scanners can find leaked ones)
_PURPOSE: Final = b"docent source hook"


@dataclass(frozen=True, slots=True)
class SourceHook:
    """What is kept of a hook. Its secret is not: it is drawn from the installation's signing key `kid` and `salt`."""

    source_id: UUID
    workspace_id: UUID
    kid: str
    salt: bytes = field(repr=False)


def hook_secret(signing_key: bytes, source_id: UUID, salt: bytes) -> str:
    drawn = hmac.digest(signing_key, _PURPOSE + source_id.bytes + salt, hashlib.sha256)
    return SECRET_PREFIX + urlsafe_b64encode(drawn).decode().rstrip("=")


def hook_signature(secret: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256, in lower-case hexadecimal, of the timestamp (seconds since 1970), a full stop and the body."""
    return hmac.digest(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hex()
