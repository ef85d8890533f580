"""Workspaces, API tokens and the keys that sign visitor tokens."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import LargeBinary, Row, String, func, or_, select

from app.core.errors import NotFound
from app.store.schema import Audited, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.secret_keys import Sealed
from app.store.tables.agents import WORKSPACES
from app.store.transaction import Repository, new_id
from app.workspaces.workspace import ApiToken, SigningKey, Workspace

API_TOKENS = table(
    "api_tokens",
    Audited("token", lambda row: str(row.name)),
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    column("name", StorableText),
    column("sha256", LargeBinary(32), unique=True),
    column("prefix", StorableText),
    column("scopes", StorableJson),
    column("resource", StorableText, nullable=True),
    column("created_at", UtcDateTime),
    column("expires_at", UtcDateTime, nullable=True),
    column("last_used_at", UtcDateTime, nullable=True),
    column("revoked_at", UtcDateTime, nullable=True),
)

# Visitor tokens signed with a key are valid until `visitors_until`, secrets derived from it until it is retired.
# `sealed_by` names the key that unseals the secret; NULL if an earlier version stored it in plain text.
SIGNING_KEYS = table(
    "signing_keys",
    column("kid", String(32), primary_key=True),
    column("secret", LargeBinary),
    column("sealed_by", String(16), nullable=True),
    column("created_at", UtcDateTime),
    column("retired_at", UtcDateTime, nullable=True),
    column("visitors_until", UtcDateTime, nullable=True),
)

# Fixed, so that two processes that both find no workspace create the same one.
_FIRST_WORKSPACE = UUID("00000000-0000-4000-8000-000000000001")
_KEY_BYTES = 32


class TokenRecords(Repository):
    def default_workspace(self) -> UUID:
        """The first workspace, created if there is none."""
        first = select(WORKSPACES.c.id).order_by(WORKSPACES.c.created_at, WORKSPACES.c.id).limit(1)
        found: UUID | None = self._connection.scalar(first)
        if found is not None:
            return found
        statement = self._insert(WORKSPACES).values(id=_FIRST_WORKSPACE, name="default", created_at=self._now())
        self._connection.execute(statement.on_conflict_do_nothing())
        return _FIRST_WORKSPACE

    def create_workspace(self, name: str) -> Workspace:
        made = Workspace(new_id(), name, self._now())
        self._add(WORKSPACES, made)
        return made

    def workspaces(self) -> list[Workspace]:
        """Oldest first."""
        oldest_first = select(WORKSPACES).order_by(WORKSPACES.c.created_at, WORKSPACES.c.id)
        return [Workspace(row.id, row.name, row.created_at) for row in self._connection.execute(oldest_first)]

    def create_token(
        self,
        workspace_id: UUID,
        name: str,
        sha256: bytes,
        prefix: str,
        scopes: tuple[str, ...],
        days: int | None,
        resource: str | None = None,
    ) -> ApiToken:
        if not self._exists(WORKSPACES, workspace_id):
            raise NotFound("workspace")
        now = self._now()
        token = ApiToken(
            id=new_id(),
            workspace_id=workspace_id,
            name=name,
            prefix=prefix,
            scopes=scopes,
            created_at=now,
            expires_at=None if days is None else now + timedelta(days=days),
            resource=resource,
        )
        self._add(API_TOKENS, token, sha256=sha256)
        return token

    def find_token(self, sha256: bytes) -> ApiToken | None:
        """The valid token, or None if there is none, or it expired or was revoked."""
        statement = select(API_TOKENS).where(
            API_TOKENS.c.sha256 == sha256,
            API_TOKENS.c.revoked_at.is_(None),
            or_(API_TOKENS.c.expires_at.is_(None), API_TOKENS.c.expires_at > self._now()),
        )
        return self._value(ApiToken, statement)

    def token_with(self, sha256: bytes) -> ApiToken | None:
        """The token, even if it has expired or was revoked."""
        return self._value(ApiToken, select(API_TOKENS).where(API_TOKENS.c.sha256 == sha256))

    def touch_token(self, token_id: UUID) -> None:
        """Set the time of the latest use."""
        self._update(API_TOKENS, API_TOKENS.c.id == token_id, last_used_at=self._now())

    def list_tokens(self, workspace_id: UUID) -> list[ApiToken]:
        statement = (
            select(API_TOKENS)
            .where(API_TOKENS.c.workspace_id == workspace_id)
            .order_by(API_TOKENS.c.created_at, API_TOKENS.c.id)
        )
        return self._values(ApiToken, statement)

    def revoke_token(self, workspace_id: UUID, token_id: UUID) -> None:
        """Raises NotFound."""
        own = (API_TOKENS.c.id == token_id, API_TOKENS.c.workspace_id == workspace_id)
        self._update_one(API_TOKENS, "token", *own, revoked_at=func.coalesce(API_TOKENS.c.revoked_at, self._now()))

    def signing_keys(self) -> list[SigningKey]:
        """Newest first; one is created if there is none. Raises SecretsLocked."""
        known = self.known_keys()
        if known:
            return known
        self._alone("the first signing key")  # a process that waited finds it
        return self.known_keys() or [self._new_key()]

    def known_keys(self) -> list[SigningKey]:
        """Newest first; creates none. Raises SecretsLocked."""
        return [SigningKey(row.kid, self._opened(row), row.created_at, row.visitors_until) for row in self._rows()]

    def has_plain_keys(self) -> bool:
        """Whether any key is stored in plain text, by an earlier version."""
        statement = select(SIGNING_KEYS.c.kid).where(SIGNING_KEYS.c.sealed_by.is_(None)).limit(1)
        return self._connection.scalar(statement) is not None

    def seal_keys(self, *, again: bool) -> int:
        """Seal plain keys with the current key, and with `again` reseal all others; return how many. Raises
        SecretsLocked."""
        statement = select(SIGNING_KEYS).with_for_update()
        if not again:
            statement = statement.where(SIGNING_KEYS.c.sealed_by.is_(None))
        # A retired key may be one that cannot be unsealed.
        rows = [row for row in self._connection.execute(statement) if not (row.retired_at and row.sealed_by)]
        for row in rows:
            sealed = self._tx.secret_keys.seal(self._opened(row), _place(row.kid))
            self._update(SIGNING_KEYS, SIGNING_KEYS.c.kid == row.kid, secret=sealed.data, sealed_by=sealed.key_name)
        return len(rows)

    def forget_locked_keys(self) -> int:
        """Retire keys that cannot be unsealed; return how many."""
        locked = [row.kid for row in self._rows() if not self._opens(row)]
        self._update(SIGNING_KEYS, SIGNING_KEYS.c.kid.in_(locked), retired_at=self._now())
        return len(locked)

    def rotate_signing_key(self, visitors_until: datetime) -> SigningKey:
        """Create a new key. Visitor tokens by earlier keys stay valid until `visitors_until`, or an earlier end that
        was set before."""
        self._update(
            SIGNING_KEYS,
            or_(SIGNING_KEYS.c.visitors_until.is_(None), SIGNING_KEYS.c.visitors_until > visitors_until),
            visitors_until=visitors_until,
        )
        return self._new_key()

    def _new_key(self) -> SigningKey:
        key = SigningKey(new_id().hex, secrets.token_bytes(_KEY_BYTES), self._now())
        sealed = self._tx.secret_keys.seal(key.secret, _place(key.kid))
        self._add(SIGNING_KEYS, kid=key.kid, secret=sealed.data, sealed_by=sealed.key_name, created_at=key.created_at)
        return key

    def _rows(self) -> Sequence[Row[Any]]:
        statement = (
            select(SIGNING_KEYS)
            .where(SIGNING_KEYS.c.retired_at.is_(None))
            .order_by(SIGNING_KEYS.c.created_at.desc(), SIGNING_KEYS.c.kid.desc())
        )
        return self._connection.execute(statement).all()

    def _opened(self, row: Row[Any]) -> bytes:
        if row.sealed_by is None:
            return bytes(row.secret)
        return self._tx.secret_keys.open(Sealed(row.secret, row.sealed_by), _place(row.kid))

    def _opens(self, row: Row[Any]) -> bool:
        if row.sealed_by is None:
            return True
        return self._tx.secret_keys.can_open(Sealed(row.secret, row.sealed_by), _place(row.kid))


def _place(kid: str) -> str:
    return f"signing_keys.secret:{kid}"
