"""Operators, their sessions, passkeys and second factors. Of a passkey, only the public half is stored; a second factor
is sealed; of a password link, only the SHA-256 of its token is stored."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ColumnElement, LargeBinary, Row, func, select
from sqlalchemy.exc import IntegrityError

from app.core.errors import InvalidInput, NotFound
from app.store.schema import StorableText, UtcDateTime, column, own_id, parent, table
from app.store.secret_keys import Sealed
from app.store.tables.agents import OPERATORS, WORKSPACES
from app.store.transaction import Repository, new_id, value_of
from app.workspaces.operator import Credentials, Operator, OperatorSession, Passkey, Role, SecondFactor

OPERATOR_SESSIONS = table(
    "operator_sessions",
    own_id(),
    parent("operator_id", "operators", index=True),
    column("sha256", LargeBinary(32), unique=True),
    column("started_at", UtcDateTime),
    column("used_at", UtcDateTime),
)

# Links with which operators choose a password, stored as the SHA-256 of their tokens. A used one is deleted.
PASSWORD_LINKS = table(
    "password_links",
    column("sha256", LargeBinary(32), primary_key=True),
    parent("operator_id", "operators", index=True),
    column("created_at", UtcDateTime),
    column("expires_at", UtcDateTime),
)

# `challenged_at` is the creation time of the last answered challenge, in microseconds: none of that age or older is
# accepted again.
PASSKEYS = table(
    "passkeys",
    own_id(),
    parent("operator_id", "operators", index=True),
    column("name", StorableText),
    column("credential_id", LargeBinary(1023), unique=True),
    column("public_key", LargeBinary),
    column("sign_count", BigInteger),
    column("challenged_at", BigInteger),
    column("created_at", UtcDateTime),
    column("used_at", UtcDateTime, nullable=True),
)


class OperatorRecords(Repository):
    """Only a password's hash and a session's SHA-256 are stored. An empty hash matches no password."""

    def add(self, operator: Operator, password_hash: str) -> None:
        """Raises InvalidInput if an operator of the workspace has the address, NotFound for the workspace."""
        if not self._exists(WORKSPACES, operator.workspace_id):
            raise NotFound("workspace")
        try:
            self._add(OPERATORS, operator, password_hash=password_hash)
        except IntegrityError as error:
            message = "An operator of this workspace already has this e-mail address. Use another one."
            raise InvalidInput("email", message) from error

    def operator(self, workspace_id: UUID, operator_id: UUID) -> Operator:
        """Raises NotFound."""
        return self._found(
            Operator,
            select(OPERATORS).where(OPERATORS.c.id == operator_id, OPERATORS.c.workspace_id == workspace_id),
            "operator",
        )

    def of_workspace(self, workspace_id: UUID) -> list[Operator]:
        """By e-mail, including disabled ones."""
        statement = select(OPERATORS).where(OPERATORS.c.workspace_id == workspace_id).order_by(OPERATORS.c.email)
        return self._values(Operator, statement)

    def has_any(self) -> bool:
        """Whether there is an account in any workspace."""
        return self._connection.scalar(select(OPERATORS.c.id).limit(1)) is not None

    def credentials(self, email: str) -> list[Credentials]:
        """The accounts with this address, at most one per workspace and including disabled ones, by the workspaces'
        names."""
        return self._credentials(OPERATORS.c.email == email)

    def credentials_of(self, operator_id: UUID) -> Credentials | None:
        return next(iter(self._credentials(OPERATORS.c.id == operator_id)), None)

    def _credentials(self, whose: ColumnElement[bool]) -> list[Credentials]:
        found = self._connection.execute(
            select(OPERATORS, WORKSPACES.c.name.label("workspace"))
            .join(WORKSPACES, WORKSPACES.c.id == OPERATORS.c.workspace_id)
            .where(whose)
        )
        accounts = [
            Credentials(
                value_of(Operator, row), row.workspace, row.password_hash, row.totp_secret is not None, row.identity
            )
            for row in found
        ]
        return sorted(accounts, key=lambda each: each.workspace.casefold())

    def of_identity(self, identity: bytes) -> list[Credentials]:
        """The accounts of an identity at the provider, at most one per workspace, including disabled ones."""
        return self._credentials(OPERATORS.c.identity == identity)

    def set_identity(self, operator_id: UUID, identity: bytes) -> None:
        """Link the account to an identity at the provider, a SHA-256 that is unique in the workspace. Ends an
        invitation."""
        self._set(operator_id, identity=identity, invited_at=None)
        PasswordLinkRecords(self._tx).end_of(operator_id)

    def set_role(self, operator_id: UUID, role: Role) -> None:
        self._set(operator_id, role=role.value)

    def set_password(self, operator_id: UUID, password_hash: str) -> None:
        """Ends the account's password links."""
        self._set(operator_id, password_hash=password_hash, invited_at=None)
        PasswordLinkRecords(self._tx).end_of(operator_id)

    def set_disabled(self, operator_id: UUID, is_disabled: bool) -> None:
        """Disable or enable the account; both end its password links."""
        self._set(operator_id, disabled_at=self._now() if is_disabled else None)
        PasswordLinkRecords(self._tx).end_of(operator_id)

    def delete(self, operator_id: UUID) -> None:
        """Delete the account with its sessions and links."""
        self._delete(OPERATORS, OPERATORS.c.id == operator_id)

    def start_session(self, operator_id: UUID, sha256: bytes) -> None:
        """The operator is signed in from now on."""
        now = self._now()
        self._add(OPERATOR_SESSIONS, id=new_id(), operator_id=operator_id, sha256=sha256, started_at=now, used_at=now)
        self._set(operator_id, signed_in_at=now)

    def session(self, sha256: bytes) -> OperatorSession | None:
        """As stored, however old, or None."""
        statement = (
            select(
                OPERATORS,
                OPERATOR_SESSIONS.c.id.label("session_id"),
                OPERATOR_SESSIONS.c.started_at,
                OPERATOR_SESSIONS.c.used_at,
            )
            .join(OPERATOR_SESSIONS, OPERATORS.c.id == OPERATOR_SESSIONS.c.operator_id)
            .where(OPERATOR_SESSIONS.c.sha256 == sha256)
        )
        found = self._connection.execute(statement).first()
        if found is None:
            return None
        return OperatorSession(found.session_id, value_of(Operator, found), found.started_at, found.used_at)

    def touch_session(self, session_id: UUID) -> None:
        """Set the time of the latest use."""
        self._update(OPERATOR_SESSIONS, OPERATOR_SESSIONS.c.id == session_id, used_at=self._now())

    def end_session(self, sha256: bytes) -> None:
        """Does nothing if there is none."""
        self._delete(OPERATOR_SESSIONS, OPERATOR_SESSIONS.c.sha256 == sha256)

    def end_sessions(self, operator_id: UUID) -> None:
        self._delete(OPERATOR_SESSIONS, OPERATOR_SESSIONS.c.operator_id == operator_id)

    def end_sessions_before(self, started: datetime) -> None:
        """End the sessions of everyone that began earlier."""
        self._delete(OPERATOR_SESSIONS, OPERATOR_SESSIONS.c.started_at < started)

    def _set(self, operator_id: UUID, **values: object) -> None:
        self._update(OPERATORS, OPERATORS.c.id == operator_id, **values)


class PasskeyRecords(Repository):
    def add(self, passkey: Passkey) -> None:
        """Raises InvalidInput if somebody has it already."""
        values = {name: getattr(passkey, name) for name in PASSKEYS.c.keys()}  # noqa: SIM118 (columns, not a dict)
        try:
            self._connection.execute(self._insert(PASSKEYS).values(**values))
        except IntegrityError as error:
            raise InvalidInput("", "This passkey already belongs to an account.") from error

    def of_operator(self, operator_id: UUID) -> list[Passkey]:
        """Oldest first."""
        own = select(PASSKEYS).where(PASSKEYS.c.operator_id == operator_id).order_by(PASSKEYS.c.created_at)
        return self._values(Passkey, own)

    def count(self, operator_id: UUID) -> int:
        own = select(func.count()).select_from(PASSKEYS).where(PASSKEYS.c.operator_id == operator_id)
        return self._connection.scalar(own) or 0

    def owner(self, credential_id: bytes) -> tuple[Passkey, Operator] | None:
        """Lock and return a passkey with its operator, so that concurrent uses wait."""
        row = self._connection.execute(
            select(PASSKEYS).where(PASSKEYS.c.credential_id == credential_id).with_for_update()
        ).first()
        if row is None:
            return None
        owner = self._connection.execute(select(OPERATORS).where(OPERATORS.c.id == row.operator_id)).one()
        return value_of(Passkey, row), value_of(Operator, owner)

    def used(self, passkey_id: UUID, sign_count: int, challenged_at: int) -> None:
        values = {"sign_count": sign_count, "challenged_at": challenged_at, "used_at": self._now()}
        self._update(PASSKEYS, PASSKEYS.c.id == passkey_id, **values)

    def remove(self, operator_id: UUID, passkey_id: UUID) -> None:
        """Raises NotFound."""
        self._delete_one(PASSKEYS, "passkey", (PASSKEYS.c.id == passkey_id) & (PASSKEYS.c.operator_id == operator_id))

    def remove_all(self, operator_id: UUID) -> int:
        return self._delete(PASSKEYS, PASSKEYS.c.operator_id == operator_id)


class SecondFactorRecords(Repository):
    def of_operator(self, operator_id: UUID, *, to_use: bool = False) -> SecondFactor | None:
        """`to_use` locks it, so that concurrent uses wait. Raises SecretsLocked."""
        statement = select(OPERATORS).where(OPERATORS.c.id == operator_id, OPERATORS.c.totp_secret.is_not(None))
        row = self._connection.execute(statement.with_for_update() if to_use else statement).first()
        if row is None:
            return None
        return SecondFactor(self._opened(row).decode(), row.totp_step, tuple(row.recovery_sha256))

    def has(self, operator_id: UUID) -> bool:
        """Whether the second factor is on, even if its secret cannot be unsealed."""
        return (
            self._connection.scalar(select(OPERATORS.c.totp_sealed_by).where(OPERATORS.c.id == operator_id)) is not None
        )

    def set(self, operator_id: UUID, factor: SecondFactor) -> None:
        sealed = self._tx.secret_keys.seal(factor.secret.encode(), _place(operator_id))
        self._change(
            operator_id,
            totp_secret=sealed.data,
            totp_sealed_by=sealed.key_name,
            totp_step=factor.last_step,
            recovery_sha256=list(factor.recovery_sha256),
        )

    def remove(self, operator_id: UUID) -> None:
        self._change(operator_id, totp_secret=None, totp_sealed_by=None, totp_step=None, recovery_sha256=None)

    def seal_again(self) -> int:
        """Reseal all secrets with the current key; return their number. Raises SecretsLocked."""
        rows = self._rows()
        for row in rows:
            sealed = self._tx.secret_keys.seal(self._opened(row), _place(row.id))
            self._change(row.id, totp_secret=sealed.data, totp_sealed_by=sealed.key_name)
        return len(rows)

    def forget_locked(self) -> int:
        """Remove second factors whose secret cannot be unsealed, because nobody could sign in with them; return how
        many."""
        locked = [row.id for row in self._rows() if not self._tx.secret_keys.can_open(*_sealed(row))]
        for operator_id in locked:
            self.remove(operator_id)
        return len(locked)

    def _rows(self) -> list[Row[Any]]:
        statement = select(OPERATORS).where(OPERATORS.c.totp_secret.is_not(None)).with_for_update()
        return list(self._connection.execute(statement))

    def _opened(self, row: Row[Any]) -> bytes:
        return self._tx.secret_keys.open(*_sealed(row))

    def _change(self, operator_id: UUID, **values: object) -> None:
        self._update(OPERATORS, OPERATORS.c.id == operator_id, **values)


def _sealed(row: Row[Any]) -> tuple[Sealed, str]:
    return Sealed(row.totp_secret, row.totp_sealed_by), _place(row.id)


def _place(operator_id: UUID) -> str:
    return f"operators.totp_secret:{operator_id}"


class PasswordLinkRecords(Repository):
    def add(self, operator_id: UUID, sha256: bytes, expires_at: datetime) -> None:
        self._add(PASSWORD_LINKS, sha256=sha256, operator_id=operator_id, created_at=self._now(), expires_at=expires_at)

    def live_count(self, operator_id: UUID) -> int:
        """Also 0 for an unknown id."""
        own = PASSWORD_LINKS.c.operator_id == operator_id, PASSWORD_LINKS.c.expires_at > self._now()
        return self._connection.scalar(select(func.count()).select_from(PASSWORD_LINKS).where(*own)) or 0

    def owner(self, sha256: bytes) -> Operator | None:
        """The link's account, while the link is valid and the account is enabled."""
        statement = (
            select(OPERATORS)
            .join(PASSWORD_LINKS, PASSWORD_LINKS.c.operator_id == OPERATORS.c.id)
            .where(PASSWORD_LINKS.c.sha256 == sha256, PASSWORD_LINKS.c.expires_at > self._now())
            .where(OPERATORS.c.disabled_at.is_(None))
        )
        return self._value(Operator, statement)

    def take(self, sha256: bytes) -> Operator | None:
        """Use up the link and return its account. Of several concurrent calls, one succeeds."""
        owner = self.owner(sha256)
        return owner if owner and self._delete(PASSWORD_LINKS, PASSWORD_LINKS.c.sha256 == sha256) else None

    def end_of(self, operator_id: UUID) -> None:
        self._delete(PASSWORD_LINKS, PASSWORD_LINKS.c.operator_id == operator_id)

    def forget_expired(self) -> None:
        """For all accounts."""
        self._delete(PASSWORD_LINKS, PASSWORD_LINKS.c.expires_at <= self._now())
