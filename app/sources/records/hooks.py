"""Publish hooks of sources, and the calls that they have made lately."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select

from app.core.errors import NotFound
from app.sources.source_hook import SourceHook
from app.store.tables.agents import AGENTS
from app.store.tables.sources import HOOK_CALLS, SOURCE_HOOKS, SOURCES
from app.store.transaction import Repository


class HookRecords(Repository):
    def set(self, source_id: UUID, kid: str, salt: bytes) -> None:
        """In place of the hook that the source had. Raises NotFound for an absent source."""
        if not self._exists(SOURCES, source_id):
            raise NotFound("source")
        values = {"kid": kid, "salt": salt, "created_at": self._now()}
        statement = self._insert(SOURCE_HOOKS).values(source_id=source_id, **values)
        self._connection.execute(statement.on_conflict_do_update(index_elements=["source_id"], set_=values))

    def get(self, source_id: UUID) -> SourceHook | None:
        statement = (
            select(SOURCE_HOOKS, AGENTS.c.workspace_id)
            .join(SOURCES, SOURCES.c.id == SOURCE_HOOKS.c.source_id)
            .join(AGENTS, AGENTS.c.id == SOURCES.c.agent_id)
            .where(SOURCE_HOOKS.c.source_id == source_id)
        )
        return self._value(SourceHook, statement)

    def clear(self, source_id: UUID) -> None:
        self._connection.execute(delete(SOURCE_HOOKS).where(SOURCE_HOOKS.c.source_id == source_id))

    def note_call(self, source_id: UUID, signature: str, forget_before: datetime) -> bool:
        """Remember the call by its signature; False when it was made before. Calls from before that moment are
        forgotten: their timestamps are refused anyway."""
        self._connection.execute(delete(HOOK_CALLS).where(HOOK_CALLS.c.called_at < forget_before))
        statement = self._insert(HOOK_CALLS).values(signature=signature, source_id=source_id, called_at=self._now())
        made = self._connection.execute(statement.on_conflict_do_nothing().returning(HOOK_CALLS.c.signature))
        return made.scalar_one_or_none() is not None
