"""Port: operators, and the sessions in which they are signed in."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.operator import Credentials, Operator, OperatorSession, Role


class OperatorRecords(Protocol):
    """A password's hash and a session's SHA-256 are all that is kept of either."""

    async def add(self, operator: Operator, password_hash: str) -> None:
        """Raises InvalidInput when an operator of any workspace has the address, NotFound for the
        workspace."""
        ...

    async def get(self, workspace_id: UUID, operator_id: UUID) -> Operator:
        """Raises NotFound."""
        ...

    async def of_workspace(self, workspace_id: UUID) -> list[Operator]:
        """By e-mail, disabled ones among them."""
        ...

    async def credentials(self, email: str) -> Credentials | None:
        """Of whoever has the address, disabled or not."""
        ...

    async def set_role(self, operator_id: UUID, role: Role) -> None: ...

    async def set_password(self, operator_id: UUID, password_hash: str) -> None: ...

    async def set_disabled(self, operator_id: UUID, is_disabled: bool) -> None: ...

    async def delete(self, operator_id: UUID) -> None:
        """With every session."""
        ...

    async def start_session(self, operator_id: UUID, sha256: bytes) -> None:
        """The operator is signed in from now on."""
        ...

    async def session(self, sha256: bytes) -> OperatorSession | None:
        """As it is kept, however old, or None."""
        ...

    async def touch_session(self, session_id: UUID) -> None:
        """It was used."""
        ...

    async def end_session(self, sha256: bytes) -> None:
        """Nothing happens when there is none."""
        ...

    async def end_sessions(self, operator_id: UUID) -> None: ...

    async def end_sessions_before(self, started: datetime) -> None:
        """Those of everyone that began earlier."""
        ...
