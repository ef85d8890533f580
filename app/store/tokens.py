"""Workspaces, API tokens and the keys that sign visitor tokens."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import func, or_, select, update

from app.domain.errors import NotFound, SecretsLocked
from app.domain.workspace import ApiToken, SigningKey, Workspace
from app.store.models import ApiTokenRow, SigningKeyRow, WorkspaceRow
from app.store.secret_keys import Sealed
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository, affected_rows

# Fixed, so that two processes which both find no workspace make the same one.
_FIRST_WORKSPACE = UUID("00000000-0000-4000-8000-000000000001")
_KEY_BYTES = 32


class TokenRecords(Repository):
    async def default_workspace(self) -> UUID:
        """The first workspace, made when there is none."""
        first = select(WorkspaceRow.id).order_by(WorkspaceRow.created_at, WorkspaceRow.id).limit(1)
        found = await self._session.scalar(first)
        if found is not None:
            return found
        statement = self._insert(WorkspaceRow).values(id=_FIRST_WORKSPACE, name="default", created_at=self._now())
        await self._session.execute(statement.on_conflict_do_nothing())
        return _FIRST_WORKSPACE

    async def create_workspace(self, name: str) -> Workspace:
        made = Workspace(new_id(), name, self._now())
        await self._session.execute(
            self._insert(WorkspaceRow).values(id=made.id, name=made.name, created_at=made.created_at)
        )
        return made

    async def workspaces(self) -> list[Workspace]:
        """Oldest first."""
        oldest_first = select(WorkspaceRow).order_by(WorkspaceRow.created_at, WorkspaceRow.id)
        return [Workspace(row.id, row.name, row.created_at) for row in await self._session.scalars(oldest_first)]

    async def create_token(
        self, workspace_id: UUID, name: str, sha256: bytes, prefix: str, scopes: tuple[str, ...], days: int | None
    ) -> ApiToken:
        if await self._session.get(WorkspaceRow, workspace_id) is None:
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
        )
        await self._session.execute(
            self._insert(ApiTokenRow).values(
                id=token.id,
                workspace_id=workspace_id,
                name=name,
                sha256=sha256,
                prefix=prefix,
                scopes=list(scopes),
                created_at=now,
                expires_at=token.expires_at,
            )
        )
        return token

    async def find_token(self, sha256: bytes) -> ApiToken | None:
        """The token that holds now, or None when there is none, or it expired or was revoked."""
        statement = select(ApiTokenRow).where(
            ApiTokenRow.sha256 == sha256,
            ApiTokenRow.revoked_at.is_(None),
            or_(ApiTokenRow.expires_at.is_(None), ApiTokenRow.expires_at > self._now()),
        )
        row = await self._session.scalar(statement)
        return None if row is None else _token(row)

    async def touch_token(self, token_id: UUID) -> None:
        """It was used."""
        await self._session.execute(
            update(ApiTokenRow).where(ApiTokenRow.id == token_id).values(last_used_at=self._now())
        )

    async def list_tokens(self, workspace_id: UUID) -> list[ApiToken]:
        statement = (
            select(ApiTokenRow)
            .where(ApiTokenRow.workspace_id == workspace_id)
            .order_by(ApiTokenRow.created_at, ApiTokenRow.id)
        )
        return [_token(row) for row in await self._session.scalars(statement)]

    async def revoke_token(self, workspace_id: UUID, token_id: UUID) -> None:
        """Raises NotFound."""
        changed = await self._session.execute(
            update(ApiTokenRow)
            .where(ApiTokenRow.id == token_id, ApiTokenRow.workspace_id == workspace_id)
            .values(revoked_at=func.coalesce(ApiTokenRow.revoked_at, self._now()))
        )
        if not affected_rows(changed):
            raise NotFound("token")

    async def signing_keys(self) -> list[SigningKey]:
        """Newest first; one is made when there is none. Raises SecretsLocked."""
        return await self.known_keys() or [await self._new_key()]

    async def known_keys(self) -> list[SigningKey]:
        """Newest first, and none is made. Raises SecretsLocked."""
        return [
            SigningKey(row.kid, self._opened(row), row.created_at, row.visitors_until) for row in await self._rows()
        ]

    async def has_plain_keys(self) -> bool:
        """Whether one was stored before keys were sealed."""
        statement = select(SigningKeyRow.kid).where(SigningKeyRow.sealed_by.is_(None)).limit(1)
        return await self._session.scalar(statement) is not None

    async def seal_keys(self, *, again: bool) -> int:
        """Seal those that are plain, and `again` all others with the key that seals now; return how many. Raises
        SecretsLocked."""
        statement = select(SigningKeyRow).with_for_update()
        if not again:
            statement = statement.where(SigningKeyRow.sealed_by.is_(None))
        # What was retired may be what no key opens.
        rows = [row for row in await self._session.scalars(statement) if not (row.retired_at and row.sealed_by)]
        for row in rows:
            sealed = self._tx.secret_keys.seal(self._opened(row), _place(row.kid))
            await self._session.execute(
                update(SigningKeyRow)
                .where(SigningKeyRow.kid == row.kid)
                .values(secret=sealed.data, sealed_by=sealed.key_name)
            )
        return len(rows)

    async def forget_locked_keys(self) -> int:
        """Retire those that cannot be opened; return how many."""
        locked = [row.kid for row in await self._rows() if not self._opens(row)]
        await self._session.execute(
            update(SigningKeyRow).where(SigningKeyRow.kid.in_(locked)).values(retired_at=self._now())
        )
        return len(locked)

    async def rotate_signing_key(self, visitors_until: datetime) -> SigningKey:
        """Make a new key; those before it are for visitors until then, or until when they already were."""
        await self._session.execute(
            update(SigningKeyRow)
            .where(or_(SigningKeyRow.visitors_until.is_(None), SigningKeyRow.visitors_until > visitors_until))
            .values(visitors_until=visitors_until)
        )
        return await self._new_key()

    async def _new_key(self) -> SigningKey:
        key = SigningKey(new_id().hex, secrets.token_bytes(_KEY_BYTES), self._now())
        sealed = self._tx.secret_keys.seal(key.secret, _place(key.kid))
        await self._session.execute(
            self._insert(SigningKeyRow).values(
                kid=key.kid, secret=sealed.data, sealed_by=sealed.key_name, created_at=key.created_at
            )
        )
        return key

    async def _rows(self) -> Sequence[SigningKeyRow]:
        statement = (
            select(SigningKeyRow)
            .where(SigningKeyRow.retired_at.is_(None))
            .order_by(SigningKeyRow.created_at.desc(), SigningKeyRow.kid.desc())
        )
        return (await self._session.scalars(statement)).all()

    def _opened(self, row: SigningKeyRow) -> bytes:
        if row.sealed_by is None:
            return row.secret
        return self._tx.secret_keys.open(Sealed(row.secret, row.sealed_by), _place(row.kid))

    def _opens(self, row: SigningKeyRow) -> bool:
        try:
            self._opened(row)
        except SecretsLocked:
            return False
        return True


def _place(kid: str) -> str:
    return f"signing_keys.secret:{kid}"


def _token(row: ApiTokenRow) -> ApiToken:
    return ApiToken(
        id=row.id,
        workspace_id=row.workspace_id,
        name=row.name,
        prefix=row.prefix,
        scopes=tuple(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
    )
