"""API tokens: shown once when they are created, and stored only as their SHA-256."""

import hashlib
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Final
from uuid import UUID

from app.core.actor import SCOPES, USUAL_SCOPES, Actor
from app.core.errors import InvalidInput, Unauthorized
from app.core.setting import between, required
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.workspace import ApiToken

TOKEN_PREFIX = "dct_"  # noqa: S105  (how our tokens begin, so that scanners can find leaked ones)
TOUCH_AT_MOST_EVERY = timedelta(minutes=1)
NAME: Final = required(100)
DAYS: Final = between(1, 3650)

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SECRET_BYTES, _SECRET_CHARS = 32, 43
_CHECKSUM_CHARS = 6
_SHOWN_CHARS = 12


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token. `token` is not stored, so it can be shown only now."""

    token: Annotated[str, "Shown once."] = field(repr=False)
    record: ApiToken


class ApiTokens(Wired):
    _records: SystemOfRecord
    _clock: Clock

    @writes
    def issue(
        self,
        tx: Transaction,
        actor: Actor,
        name: str,
        scopes: Sequence[str] = USUAL_SCOPES,
        days: int | None = None,
    ) -> IssuedToken:
        """A new token that is valid for `days`, or until it is revoked. Raises InvalidInput."""
        return _issued(tx, actor, name, scopes, days)

    @writes
    def issue_once(
        self, tx: Transaction, actor: Actor, name: str, scopes: Sequence[str], days: int, secret: bytes, resource: str
    ) -> IssuedToken | None:
        """Issue the token of this `secret`, valid only for calls of the path `resource`. A second call with the same
        secret revokes the token and returns None. Raises InvalidInput."""
        known = TokenRecords(tx).token_with(_sha256(new_token(secret)))
        if known is None:
            return _issued(tx, actor, name, scopes, days, secret, resource)
        TokenRecords(tx).revoke_token(known.workspace_id, known.id)
        AuditRecords(tx).acted(actor, "token.revoke", known.id)
        return None

    async def verify(self, token: str, path: str = "") -> Actor:
        """The actor of a token that is valid for calls of `path`. Raises Unauthorized."""
        if not is_well_formed(token):
            raise Unauthorized("This is not an API token. Create one with `docent token create`.")
        found = await self._records.read(lambda tx: TokenRecords(tx).find_token(_sha256(token)))
        if found is None:
            raise Unauthorized("This API token is unknown, expired or revoked. Create one with `docent token create`.")
        if found.resource is not None and found.resource != path:
            raise Unauthorized(f"This API token is valid for {found.resource} alone. Create another one.")
        await self._touch(found)
        return Actor(found.workspace_id, found.name, frozenset(found.scopes), token_id=found.id)

    @reads
    def of_workspace(self, tx: Transaction, actor: Actor) -> list[ApiToken]:
        return TokenRecords(tx).list_tokens(actor.workspace_id)

    @writes
    def revoke(self, tx: Transaction, actor: Actor, token_id: UUID) -> None:
        """Raises NotFound."""
        TokenRecords(tx).revoke_token(actor.workspace_id, token_id)
        AuditRecords(tx).acted(actor, "token.revoke", token_id)

    async def _touch(self, token: ApiToken) -> None:
        last = token.last_used_at
        if last is not None and self._clock.now() - last < TOUCH_AT_MOST_EVERY:
            return
        await self._records.of_workspace(token.workspace_id).write(lambda tx: TokenRecords(tx).touch_token(token.id))


def _issued(
    tx: Transaction,
    actor: Actor,
    name: str,
    scopes: Sequence[str],
    days: int | None,
    secret: bytes | None = None,
    resource: str | None = None,
) -> IssuedToken:
    NAME.check("name", name)
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise InvalidInput("scopes", f"Choose from: {', '.join(SCOPES)}.")
    DAYS.check("days", days)
    token = new_token(secret)
    record = TokenRecords(tx).create_token(
        actor.workspace_id, name, _sha256(token), token[:_SHOWN_CHARS], tuple(dict.fromkeys(scopes)), days, resource
    )
    AuditRecords(tx).acted(actor, "token.create", record.id, name=name, scopes=list(scopes))
    return IssuedToken(token, record)


def new_token(secret: bytes | None = None) -> str:
    """The prefix, then 32 random bytes (or those of `secret`) and a checksum, both in base 62."""
    written = _base62(int.from_bytes(secret or secrets.token_bytes(_SECRET_BYTES)), _SECRET_CHARS)
    return TOKEN_PREFIX + written + _checksum(written)


def is_well_formed(token: str) -> bool:
    """Whether the checksum is right, so that guesses and typing errors are rejected without reading the record."""
    secret = token[len(TOKEN_PREFIX) : -_CHECKSUM_CHARS]
    return (
        token.startswith(TOKEN_PREFIX)
        and len(secret) == _SECRET_CHARS
        and token.isascii()
        and token[-_CHECKSUM_CHARS:] == _checksum(secret)
    )


def _checksum(secret: str) -> str:
    return _base62(zlib.crc32(secret.encode()), _CHECKSUM_CHARS)


def _base62(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        number, digit = divmod(number, 62)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def _sha256(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
