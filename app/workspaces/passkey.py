"""Passkeys (WebAuthn Level 3): key pairs on an operator's device, which verifies the operator itself by fingerprint,
face or PIN."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

HOLDS: Final = timedelta(minutes=30)
MAX_PASSKEYS: Final = 10
MAX_NAME_CHARS: Final = 60
MAX_CREDENTIAL_CHARS: Final = 16_384
_TIME_BYTES, _NONCE_BYTES, _MAC_BYTES = 8, 16, 16
CHALLENGE_BYTES: Final = _TIME_BYTES + _NONCE_BYTES + _MAC_BYTES


@dataclass(frozen=True, slots=True)
class Passkey:
    """The public half. `challenged_at` is the time of the latest challenge that it answered."""

    id: UUID
    operator_id: UUID
    name: str
    created_at: datetime
    used_at: datetime | None
    credential_id: bytes = field(repr=False)
    public_key: bytes = field(repr=False)
    sign_count: int
    challenged_at: int


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """Docent as browsers identify it, by the address of its pages."""

    origin: str

    @classmethod
    def at(cls, url: str) -> "RelyingParty":
        parts = urlsplit(url)
        return cls(f"{parts.scheme}://{parts.netloc}")

    @property
    def id(self) -> str:
        return urlsplit(self.origin).hostname or ""


def new_challenge(key: bytes, browser: str, now: datetime) -> bytes:
    """Bound to one browser by a secret that the browser holds. Nothing is stored: the challenge holds its own time."""
    begin = int(now.timestamp() * 1_000_000).to_bytes(_TIME_BYTES) + secrets.token_bytes(_NONCE_BYTES)
    return begin + _mac(key, browser, begin)


def challenged_at(key: bytes, browser: str, challenge: bytes, now: datetime) -> int | None:
    """The time of the challenge in microseconds; None when it was made for another browser or has expired."""
    begin, mac = challenge[:-_MAC_BYTES], challenge[-_MAC_BYTES:]
    if len(challenge) != CHALLENGE_BYTES or not hmac.compare_digest(mac, _mac(key, browser, begin)):
        return None
    made = int.from_bytes(begin[:_TIME_BYTES])
    age = now.timestamp() - made / 1_000_000
    return made if -1 <= age <= HOLDS.total_seconds() else None


def _mac(key: bytes, browser: str, begin: bytes) -> bytes:
    said = b"docent passkey challenge" + hashlib.sha256(browser.encode()).digest() + begin
    return hmac.digest(key, said, hashlib.sha256)[:_MAC_BYTES]
