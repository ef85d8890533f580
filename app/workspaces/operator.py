"""Operators of the console and their roles; one-time codes (RFC 6238), recovery codes and passkeys (WebAuthn Level 3);
and the mapping of an identity provider's groups to roles.
"""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Annotated, Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from app.core.setting import at_most, required


class Role(Enum):
    """Each role includes those before it."""

    VIEWER = "viewer"  # reads
    EDITOR = "editor"  # also changes what agents know and how they answer
    ADMIN = "admin"  # also manages access


@dataclass(frozen=True, slots=True)
class Operator:
    """An account in one workspace. `email` is in lower case and unique there; a person may have accounts in several
    workspaces, each with its own password. An invited operator cannot sign in before choosing a password."""

    id: UUID
    workspace_id: UUID
    email: str
    role: Role
    created_at: datetime
    signed_in_at: Annotated[datetime | None, "The latest sign-in; null before the first."] = None
    disabled_at: datetime | None = None
    invited_at: Annotated[
        datetime | None, "When the operator was invited, if they have not chosen a password yet; otherwise null."
    ] = None

    @property
    def is_disabled(self) -> bool:
        return self.disabled_at is not None

    @property
    def is_invited(self) -> bool:
        return self.invited_at is not None


@dataclass(frozen=True, slots=True)
class OperatorSession:
    """A session of a signed-in operator. Only the browser has its secret."""

    id: UUID
    operator: Operator
    started_at: datetime
    used_at: datetime


@dataclass(frozen=True, slots=True)
class Credentials:
    """What an account signs in with. `workspace` is a name. `asks_for_code`: the account has a second factor.
    `identity` is the SHA-256 of an identity at the provider, None without one."""

    operator: Operator
    workspace: str
    password_hash: str = field(repr=False)
    asks_for_code: bool = False
    identity: bytes | None = field(default=None, repr=False)


STEP_SECONDS: Final = 30
SECRET_BYTES: Final = 20  # the length of SHA-1's output, which RFC 4226 recommends
RECOVERY_CODES: Final = 10
CODE: Final = at_most(40)
_RECOVERY_BYTES: Final = 10
_ISSUER: Final = "Docent"
_SECRET: Final = re.compile(r"[A-Z2-7]{32}")


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """`last_step` is the period of the last used code; codes of that period and earlier ones are no longer accepted.
    `recovery_sha256` has the hashes of the unused recovery codes, in hexadecimal."""

    secret: str = field(repr=False)
    last_step: int
    recovery_sha256: Sequence[str]

    def used(self, code: str, now: datetime) -> "SecondFactor | None":
        """The factor with this code used up; None if the code is invalid."""
        step = step_of(self.secret, code, now)
        if step is not None:
            return None if step <= self.last_step else SecondFactor(self.secret, step, self.recovery_sha256)
        given = recovery_hash(code)
        if not any(hmac.compare_digest(given, each) for each in self.recovery_sha256):
            return None
        left = tuple(each for each in self.recovery_sha256 if each != given)
        return SecondFactor(self.secret, self.last_step, left)


def new_secret() -> str:
    return base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()


def is_secret(text: str) -> bool:
    return _SECRET.fullmatch(text) is not None


def provisioning_uri(secret: str, email: str) -> str:
    """The content of the QR code for an authenticator."""
    import pyotp

    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=_ISSUER)


def step_of(secret: str, code: str, now: datetime) -> int | None:
    """The period that the code matches: the present one, the one before or the one after, because clocks differ; else
    None."""
    import pyotp

    written, here = "".join(code.split()), int(now.timestamp()) // STEP_SECONDS
    codes = {step: pyotp.TOTP(secret).generate_otp(step) for step in (here, here - 1, here + 1)}
    found = [step for step, each in codes.items() if hmac.compare_digest(each.encode(), written.encode())]
    return found[0] if found else None


def new_recovery_codes() -> list[str]:
    """80 random bits each, in four groups."""
    found = [base64.b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode().lower() for _ in range(RECOVERY_CODES)]
    return ["-".join(code[at : at + 4] for at in range(0, 16, 4)) for code in found]


def recovery_hash(code: str) -> str:
    """The hash that is stored. It needs no salt, because codes have 80 random bits."""
    plain = "".join(code.lower().split()).replace("-", "")
    return hashlib.sha256(plain.encode()).hexdigest()


# Passkeys are key pairs on an operator's device, which verifies the operator itself by fingerprint, face or PIN.
HOLDS: Final = timedelta(minutes=30)
MAX_PASSKEYS: Final = 10
PASSKEY_NAME: Final = required(60)
MAX_CREDENTIAL_CHARS: Final = 16_384
_TIME_BYTES, _NONCE_BYTES, _MAC_BYTES = 8, 16, 16
CHALLENGE_BYTES: Final = _TIME_BYTES + _NONCE_BYTES + _MAC_BYTES


@dataclass(frozen=True, slots=True)
class Passkey:
    """The public half of a passkey. `challenged_at` is the time of the latest challenge that it answered."""

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
    """Docent as a WebAuthn relying party, identified by the address of its pages."""

    origin: str

    @classmethod
    def at(cls, url: str) -> "RelyingParty":
        parts = urlsplit(url)
        return cls(f"{parts.scheme}://{parts.netloc}")

    @property
    def id(self) -> str:
        return urlsplit(self.origin).hostname or ""


def new_challenge(key: bytes, browser: str, now: datetime) -> bytes:
    """A challenge bound to `browser`, a secret that only that browser has. It contains its time, so nothing is
    stored."""
    begin = int(now.timestamp() * 1_000_000).to_bytes(_TIME_BYTES) + secrets.token_bytes(_NONCE_BYTES)
    return begin + _mac(key, browser, begin)


def challenged_at(key: bytes, browser: str, challenge: bytes, now: datetime) -> int | None:
    """The challenge's time in microseconds since 1970; None if it is of another browser or has expired."""
    begin, mac = challenge[:-_MAC_BYTES], challenge[-_MAC_BYTES:]
    if len(challenge) != CHALLENGE_BYTES or not hmac.compare_digest(mac, _mac(key, browser, begin)):
        return None
    made = int.from_bytes(begin[:_TIME_BYTES])
    age = now.timestamp() - made / 1_000_000
    return made if -1 <= age <= HOLDS.total_seconds() else None


def _mac(key: bytes, browser: str, begin: bytes) -> bytes:
    message = b"docent passkey challenge" + hashlib.sha256(browser.encode()).digest() + begin
    return hmac.digest(key, message, hashlib.sha256)[:_MAC_BYTES]


EVERYBODY: Final = "*"
_ROLE = re.compile(r"=\s*+(viewer|editor|admin)\s*+(?:,|$)")
_RANKS: Final = tuple(Role)


@dataclass(frozen=True, slots=True)
class ProviderRules:
    """`roles` has pairs of group and role; the group "*" is everybody whom the provider admits. `groups_claim` names
    the claim with the groups; a dot leads into an object, as in Keycloak's "realm_access.roles". `workspace` is the
    name of the one where accounts are created, "" for the first."""

    roles: Sequence[tuple[str, Role]]
    groups_claim: str = "groups"
    workspace: str = ""

    def role_of(self, claims: Mapping[str, Any]) -> Role | None:
        """The highest role of the groups in the claims; None for no access."""
        groups = {EVERYBODY, *groups_of(claims, self.groups_claim)}
        found = [role for group, role in self.roles if group in groups]
        return max(found, key=_RANKS.index, default=None)


def groups_of(claims: Mapping[str, Any], name: str) -> list[str]:
    """The groups in the claim `name`. A claim with exactly this name, dots included, takes precedence over a nested
    one. A single group may be a string."""
    found: Any = claims.get(name)
    if found is None:
        found = claims
        for part in name.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        return [found]
    return [group for group in found if isinstance(group, str)] if isinstance(found, list) else []


def read_roles(text: str) -> tuple[tuple[str, Role], ...]:
    """Parse "docs-admins=admin, staff=viewer" into pairs. Names of groups may contain commas and equals signs, as in
    LDAP. Raises ValueError."""
    found, at, text = [], 0, text.strip()
    for role in _ROLE.finditer(text):
        found.append((text[at : role.start()].strip(), Role(role[1])))
        at = role.end()
    if at < len(text) or not all(group for group, _ in found):
        raise ValueError("write it as GROUP=ROLE, comma separated, such as docs-admins=admin, *=viewer")
    return tuple(found)
