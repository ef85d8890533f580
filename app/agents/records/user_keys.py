"""What is kept of agents' user secrets, and of the identity providers of their visitors."""

from uuid import UUID

from sqlalchemy import delete, select

from app.agents.signed_user import UserIssuer, UserKey
from app.core.errors import NotFound
from app.store.tables.agents import AGENTS, USER_ISSUERS, USER_KEYS
from app.store.transaction import Repository


class UserKeyRecords(Repository):
    def set(self, key: UserKey) -> None:
        """In place of the one that the agent had. Raises NotFound for an absent agent."""
        if not self._exists(AGENTS, key.agent_id):
            raise NotFound("agent")
        values = {"kid": key.kid, "salt": key.salt, "created_at": key.created_at}
        statement = self._insert(USER_KEYS).values(agent_id=key.agent_id, **values)
        self._connection.execute(statement.on_conflict_do_update(index_elements=["agent_id"], set_=values))

    def get(self, agent_id: UUID) -> UserKey | None:
        row = self._connection.execute(select(USER_KEYS).where(USER_KEYS.c.agent_id == agent_id)).first()
        return None if row is None else UserKey(row.agent_id, row.kid, row.salt, row.created_at)

    def clear(self, agent_id: UUID) -> None:
        self._connection.execute(delete(USER_KEYS).where(USER_KEYS.c.agent_id == agent_id))


class UserIssuerRecords(Repository):
    def set(self, issuer: UserIssuer) -> None:
        """In place of the one that the agent had. Raises NotFound for an absent agent."""
        if not self._exists(AGENTS, issuer.agent_id):
            raise NotFound("agent")
        values = {
            "issuer": issuer.issuer,
            "audience": issuer.audience,
            "jwks_url": issuer.jwks_url,
            "created_at": issuer.created_at,
        }
        statement = self._insert(USER_ISSUERS).values(agent_id=issuer.agent_id, **values)
        self._connection.execute(statement.on_conflict_do_update(index_elements=["agent_id"], set_=values))

    def get(self, agent_id: UUID) -> UserIssuer | None:
        return self._value(UserIssuer, select(USER_ISSUERS).where(USER_ISSUERS.c.agent_id == agent_id))

    def clear(self, agent_id: UUID) -> None:
        self._connection.execute(delete(USER_ISSUERS).where(USER_ISSUERS.c.agent_id == agent_id))
