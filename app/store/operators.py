"""Operators, and the sessions in which they are signed in."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError

from app.domain.errors import InvalidInput, NotFound
from app.domain.operator import Credentials, Operator, OperatorSession, Role
from app.store.models import OperatorRow, OperatorSessionRow, WorkspaceRow
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository


class OperatorRecords(Repository):
    """A password's hash and a session's SHA-256 are all that is kept of either."""

    async def add(self, operator: Operator, password_hash: str) -> None:
        """Raises InvalidInput when an operator of any workspace has the address, NotFound for the
        workspace."""
        if await self._session.get(WorkspaceRow, operator.workspace_id) is None:
            raise NotFound("workspace")
        try:
            await self._session.execute(
                self._insert(OperatorRow).values(
                    id=operator.id,
                    workspace_id=operator.workspace_id,
                    email=operator.email,
                    password_hash=password_hash,
                    role=operator.role.value,
                    created_at=operator.created_at,
                )
            )
        except IntegrityError as error:
            raise InvalidInput("email", "An operator has this e-mail address already. Take another one.") from error

    async def get(self, workspace_id: UUID, operator_id: UUID) -> Operator:
        """Raises NotFound."""
        row = await self._session.scalar(
            select(OperatorRow).where(OperatorRow.id == operator_id, OperatorRow.workspace_id == workspace_id)
        )
        if row is None:
            raise NotFound("operator")
        return _operator(row)

    async def of_workspace(self, workspace_id: UUID) -> list[Operator]:
        """By e-mail, disabled ones among them."""
        statement = select(OperatorRow).where(OperatorRow.workspace_id == workspace_id).order_by(OperatorRow.email)
        return [_operator(row) for row in await self._session.scalars(statement)]

    async def credentials(self, email: str) -> Credentials | None:
        """Of whoever has the address, disabled or not."""
        row = await self._session.scalar(select(OperatorRow).where(OperatorRow.email == email))
        return None if row is None else Credentials(_operator(row), row.password_hash)

    async def set_role(self, operator_id: UUID, role: Role) -> None:
        await self._set(operator_id, role=role.value)

    async def set_password(self, operator_id: UUID, password_hash: str) -> None:
        await self._set(operator_id, password_hash=password_hash)

    async def set_disabled(self, operator_id: UUID, is_disabled: bool) -> None:
        await self._set(operator_id, disabled_at=self._now() if is_disabled else None)

    async def delete(self, operator_id: UUID) -> None:
        """With every session."""
        await self._session.execute(delete(OperatorRow).where(OperatorRow.id == operator_id))

    async def start_session(self, operator_id: UUID, sha256: bytes) -> None:
        """The operator is signed in from now on."""
        now = self._now()
        await self._session.execute(
            self._insert(OperatorSessionRow).values(
                id=new_id(), operator_id=operator_id, sha256=sha256, started_at=now, used_at=now
            )
        )
        await self._set(operator_id, signed_in_at=now)

    async def session(self, sha256: bytes) -> OperatorSession | None:
        """As it is kept, however old, or None."""
        statement = (
            select(OperatorSessionRow, OperatorRow)
            .join(OperatorRow, OperatorRow.id == OperatorSessionRow.operator_id)
            .where(OperatorSessionRow.sha256 == sha256)
        )
        found = (await self._session.execute(statement)).first()
        if found is None:
            return None
        session, operator = found
        return OperatorSession(session.id, _operator(operator), session.started_at, session.used_at)

    async def touch_session(self, session_id: UUID) -> None:
        """It was used."""
        await self._session.execute(
            update(OperatorSessionRow).where(OperatorSessionRow.id == session_id).values(used_at=self._now())
        )

    async def end_session(self, sha256: bytes) -> None:
        """Nothing happens when there is none."""
        await self._session.execute(delete(OperatorSessionRow).where(OperatorSessionRow.sha256 == sha256))

    async def end_sessions(self, operator_id: UUID) -> None:
        await self._session.execute(delete(OperatorSessionRow).where(OperatorSessionRow.operator_id == operator_id))

    async def end_sessions_before(self, started: datetime) -> None:
        """Those of everyone that began earlier."""
        await self._session.execute(delete(OperatorSessionRow).where(OperatorSessionRow.started_at < started))

    async def _set(self, operator_id: UUID, **values: object) -> None:
        await self._session.execute(update(OperatorRow).where(OperatorRow.id == operator_id).values(**values))


def _operator(row: OperatorRow) -> Operator:
    return Operator(
        row.id, row.workspace_id, row.email, Role(row.role), row.created_at, row.signed_in_at, row.disabled_at
    )
