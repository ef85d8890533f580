"""What is kept of agents' user secrets."""

from uuid import UUID

from sqlalchemy import delete

from app.domain.errors import NotFound
from app.domain.signed_user import UserKey
from app.store.models import AgentRow, UserKeyRow
from app.store.transaction import Repository


class UserKeyRecords(Repository):
    async def set(self, key: UserKey) -> None:
        """In place of the one that the agent had. Raises NotFound for an absent agent."""
        if await self._session.get(AgentRow, key.agent_id) is None:
            raise NotFound("agent")
        values = {"kid": key.kid, "salt": key.salt, "created_at": key.created_at}
        statement = self._insert(UserKeyRow).values(agent_id=key.agent_id, **values)
        await self._session.execute(statement.on_conflict_do_update(index_elements=["agent_id"], set_=values))

    async def get(self, agent_id: UUID) -> UserKey | None:
        row = await self._session.get(UserKeyRow, agent_id)
        return None if row is None else UserKey(row.agent_id, row.kid, row.salt, row.created_at)

    async def clear(self, agent_id: UUID) -> None:
        await self._session.execute(delete(UserKeyRow).where(UserKeyRow.agent_id == agent_id))
