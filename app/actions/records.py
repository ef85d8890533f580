"""Actions with the sealed values of their headers."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import ColumnElement, and_, bindparam, select, update

from app.actions.action import Action
from app.core.errors import InvalidInput, NotFound
from app.store.schema import Audited, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.sealed_rows import SealedRows, sealed_columns
from app.store.tables.agents import AGENTS
from app.store.transaction import Repository, affected_rows, row_of, value_of

# `sealed` has the values of the headers as a JSON object; `revision` counts saved changes.
ACTIONS = table(
    "actions",
    Audited("action", lambda row: str(row.title or row.name)),
    own_id(),
    parent("agent_id", "agents"),
    column("name", StorableText),
    column("title", StorableText),
    column("description", StorableText),
    column("method", sa.String(10)),
    column("url", StorableText),
    column("parameters", StorableJson),
    column("fixed", StorableJson),
    column("result_path", StorableText),
    column("max_result_chars", sa.Integer),
    column("timeout_seconds", sa.Integer),
    column("daily_calls", sa.Integer),
    column("is_on", sa.Boolean),
    column("changes", sa.Boolean, default=False, server_default=sa.false()),
    column("summary", StorableText, default="", server_default=sa.text("''")),
    column("done_text", StorableText, default="", server_default=sa.text("''")),
    column("revision", sa.Integer, default=1, server_default=sa.text("1")),
    column("header_names", StorableJson),
    *sealed_columns(),
    column("created_at", UtcDateTime),
    sa.UniqueConstraint("agent_id", "name"),
)

# Built once, because each question on an installation with actions executes it.
_OF_AGENT = select(ACTIONS).where(ACTIONS.c.agent_id == bindparam("agent_id")).order_by(ACTIONS.c.name)


class ActionRecords(Repository):
    """Actions by agent. The caller has checked the workspace."""

    def actions(self, agent_id: UUID) -> list[Action]:
        return [value_of(Action, row) for row in self._connection.execute(_OF_AGENT, {"agent_id": agent_id})]

    def action(self, agent_id: UUID, action_id: UUID) -> Action:
        """Raises NotFound."""
        return self._found(Action, select(ACTIONS).where(_is(agent_id, action_id)), "action")

    def headers(self, action: Action) -> dict[str, str]:
        """Raises NotFound for a deleted action, SecretsLocked."""
        row = self._first_row(select(ACTIONS).where(_is(action.agent_id, action.id)), "action")
        return dict(json.loads(SealedRows(self._tx, ACTIONS).opened(row)))

    def create(self, action: Action, headers: Mapping[str, str]) -> Action:
        """Raises NotFound for a deleted agent, InvalidInput for a name that another of its actions has."""
        if not self._exists(AGENTS, action.agent_id):
            raise NotFound("agent")
        self._check_name(action)
        self._add(ACTIONS, action, created_at=self._now(), **self._kept(action, headers))
        return self.action(action.agent_id, action.id)

    def save(self, action: Action, headers: Mapping[str, str] | None = None) -> Action:
        """Without `headers` the stored ones stay. Changes that visitors were asked to confirm become void. Raises
        NotFound, and InvalidInput as `create` does."""
        self._check_name(action)
        kept = {} if headers is None else self._kept(action, headers)
        values = {**row_of(action, ACTIONS), **kept, "revision": ACTIONS.c.revision + 1}
        changed = update(ACTIONS).where(_is(action.agent_id, action.id)).values(values)
        if not affected_rows(self._connection.execute(changed)):
            raise NotFound("action")
        return self.action(action.agent_id, action.id)

    def delete(self, agent_id: UUID, action_id: UUID) -> None:
        """Raises NotFound."""
        self._delete_one(ACTIONS, "action", _is(agent_id, action_id))

    def _kept(self, action: Action, headers: Mapping[str, str]) -> dict[str, Any]:
        sealed = SealedRows(self._tx, ACTIONS).sealed(action.id, json.dumps(dict(headers)).encode())
        return {"header_names": sorted(headers), **sealed}

    def _check_name(self, action: Action) -> None:
        named = select(ACTIONS.c.id).where(ACTIONS.c.agent_id == action.agent_id, ACTIONS.c.name == action.name)
        if self._connection.scalar(named) not in (None, action.id):
            raise InvalidInput("name", "Another action of this agent has this name.")


def _is(agent_id: UUID, action_id: UUID) -> ColumnElement[bool]:
    return and_(ACTIONS.c.id == action_id, ACTIONS.c.agent_id == agent_id)
