"""Agents and their published versions."""

from datetime import datetime
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Table, and_, bindparam, delete, select, update

from app.agents.agent import Agent, AgentConfig, AgentVersion, LiveAgent
from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.store.codec import config_from_json, config_to_json, value_of
from app.store.keyset import Keyset
from app.store.models import AgentRow, AgentVersionRow, WorkspaceRow
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository, affected_rows

_OLDEST_FIRST = Keyset(AgentRow.created_at, AgentRow.id)
_AGENTS = cast(Table, AgentRow.__table__)
_VERSIONS = cast(Table, AgentVersionRow.__table__)
# Asked with each question, so they are made once and of columns alone.
_LIVE = (
    select(_AGENTS.c.workspace_id, _AGENTS.c.generation, _VERSIONS.c.id, _VERSIONS.c.number)
    .join(_VERSIONS, and_(_VERSIONS.c.agent_id == _AGENTS.c.id, _VERSIONS.c.number == _AGENTS.c.live_version))
    .where(_AGENTS.c.id == bindparam("agent_id"))
)
_CONFIG = select(_VERSIONS.c.config).where(_VERSIONS.c.id == bindparam("version_id"))


class AgentRecords(Repository):
    """A foreign agent is an absent one: every method that takes a workspace raises NotFound for both."""

    def create(self, workspace_id: UUID, config: AgentConfig) -> Agent:
        if not self._exists(WorkspaceRow, workspace_id):
            raise NotFound("workspace")
        agent_id, now = new_id(), self._now()
        self._connection.execute(
            self._insert(AgentRow).values(
                id=agent_id,
                workspace_id=workspace_id,
                draft=config_to_json(config),
                generation=0,
                created_at=now,
                updated_at=now,
            )
        )
        return self.get(workspace_id, agent_id)

    def get(self, workspace_id: UUID, agent_id: UUID) -> Agent:
        return value_of(Agent, self._row(workspace_id, agent_id))

    def page(self, workspace_id: UUID, page: PageRequest) -> ListPage[Agent]:
        """Oldest first."""
        statement = select(AgentRow).where(AgentRow.workspace_id == workspace_id)
        return _OLDEST_FIRST.page(self._connection, statement, page, lambda row: value_of(Agent, row))

    def save_draft(self, workspace_id: UUID, agent_id: UUID, config: AgentConfig) -> Agent:
        changed = self._connection.execute(
            update(AgentRow)
            .where(_is(workspace_id, agent_id))
            .values(draft=config_to_json(config), updated_at=self._now())
        )
        if not affected_rows(changed):
            raise NotFound("agent")
        return self.get(workspace_id, agent_id)

    def publish(self, workspace_id: UUID, agent_id: UUID) -> AgentVersion:
        """Freeze the draft as the next version and make it live. A draft equal to the live version publishes
        nothing and returns that version."""
        agent = self._row(workspace_id, agent_id, lock=True)
        versions = self._versions(agent_id)
        draft = config_from_json(AgentConfig, agent.draft)
        for version in versions:
            if version.number == agent.live_version and version.config == draft:
                return version
        published = AgentVersion(
            agent_id=agent_id,
            number=versions[0].number + 1 if versions else 1,
            config=draft,
            published_at=self._now(),
        )
        self._connection.execute(
            self._insert(AgentVersionRow).values(
                id=new_id(),
                agent_id=agent_id,
                number=published.number,
                config=config_to_json(draft),
                published_at=published.published_at,
            )
        )
        self._connection.execute(
            update(AgentRow)
            .where(AgentRow.id == agent_id)
            .values(live_version=published.number, updated_at=published.published_at)
        )
        return published

    def versions(self, workspace_id: UUID, agent_id: UUID) -> list[AgentVersion]:
        """Newest first."""
        self._row(workspace_id, agent_id)
        return self._versions(agent_id)

    def published_since(self, workspace_id: UUID, since: datetime, limit: int) -> list[AgentVersion]:
        """Of all agents of the workspace, newest first."""
        statement = (
            select(AgentVersionRow)
            .join(AgentRow, AgentRow.id == AgentVersionRow.agent_id)
            .where(AgentRow.workspace_id == workspace_id, AgentVersionRow.published_at >= since)
            .order_by(AgentVersionRow.published_at.desc(), AgentVersionRow.id.desc())
            .limit(limit)
        )
        return [value_of(AgentVersion, row) for row in self._connection.execute(statement)]

    def delete(self, workspace_id: UUID, agent_id: UUID) -> None:
        """Remove the agent and all that hangs on it."""
        gone = self._connection.execute(delete(AgentRow).where(_is(workspace_id, agent_id)))
        if not affected_rows(gone):
            raise NotFound("agent")

    def live(self, agent_id: UUID) -> LiveAgent:
        """What visitors get. Raises NotFound for an agent that is absent or was never published."""
        found = self._connection.execute(_LIVE, {"agent_id": agent_id}).one_or_none()
        if found is None:
            raise NotFound("agent")
        workspace_id, generation, version_id, number = found
        return LiveAgent(
            id=agent_id,
            workspace_id=workspace_id,
            version=number,
            generation=generation,
            config=self._published_config(version_id),
        )

    def published(self, workspace_id: UUID) -> list[tuple[LiveAgent, datetime]]:
        """A workspace's agents as visitors get them, with when each was made, oldest first."""
        live = and_(AgentVersionRow.agent_id == AgentRow.id, AgentVersionRow.number == AgentRow.live_version)
        statement = (
            select(AgentRow, AgentVersionRow.number, AgentVersionRow.config)
            .join(AgentVersionRow, live)
            .where(AgentRow.workspace_id == workspace_id)
            .order_by(AgentRow.created_at, AgentRow.id)
        )
        return [
            (
                LiveAgent(
                    row.id, row.workspace_id, row.number, row.generation, config_from_json(AgentConfig, row.config)
                ),
                row.created_at,
            )
            for row in self._connection.execute(statement)
        ]

    def exists(self, agent_id: UUID) -> bool:
        return self._connection.scalar(select(AgentRow.id).where(AgentRow.id == agent_id)) is not None

    def bump_generation(self, agent_id: UUID) -> int:
        """What the agent may answer from has changed; return the new generation."""
        generation: int | None = self._connection.scalar(
            update(AgentRow)
            .where(AgentRow.id == agent_id)
            .values(generation=AgentRow.generation + 1)
            .returning(AgentRow.generation)
        )
        if generation is None:
            raise NotFound("agent")
        return generation

    def _published_config(self, version_id: UUID) -> AgentConfig:
        config = self._tx.known.configs.get(version_id)
        if config is None:
            stored = self._connection.execute(_CONFIG, {"version_id": version_id})
            config = config_from_json(AgentConfig, stored.scalar_one())
            self._tx.known.configs.keep(version_id, config)
        return config

    def _row(self, workspace_id: UUID, agent_id: UUID, *, lock: bool = False) -> Row[Any]:
        statement = select(AgentRow).where(_is(workspace_id, agent_id))
        row = self._connection.execute(statement.with_for_update() if lock else statement).first()
        if row is None:
            raise NotFound("agent")
        return row

    def _versions(self, agent_id: UUID) -> list[AgentVersion]:
        statement = (
            select(AgentVersionRow).where(AgentVersionRow.agent_id == agent_id).order_by(AgentVersionRow.number.desc())
        )
        return [value_of(AgentVersion, row) for row in self._connection.execute(statement)]


def _is(workspace_id: UUID, agent_id: UUID) -> ColumnElement[bool]:
    return and_(AgentRow.id == agent_id, AgentRow.workspace_id == workspace_id)
