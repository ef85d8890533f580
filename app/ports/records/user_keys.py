"""Port: what is kept of the secrets by which websites sign who their visitors are."""

from typing import Protocol
from uuid import UUID

from app.domain.signed_user import UserKey


class UserKeyRecords(Protocol):
    async def set(self, key: UserKey) -> None:
        """In place of the one that the agent had. Raises NotFound for an absent agent."""
        ...

    async def get(self, agent_id: UUID) -> UserKey | None: ...

    async def clear(self, agent_id: UUID) -> None: ...
