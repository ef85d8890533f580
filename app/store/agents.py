"""Agents and their published versions."""

from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, select, update

from app.domain.agent import Agent, AgentConfig, AgentVersion, LiveAgent
from app.domain.errors import NotFound
from app.domain.list_page import ListPage, PageRequest
from app.store.config_json import config_from_json, config_to_json
from app.store.keyset import Keyset
from app.store.models import AgentRow, AgentVersionRow, WorkspaceRow
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository, affected_rows

_OLDEST_FIRST = Keyset(AgentRow.created_at, AgentRow.id)


class AgentRecords(Repository):
    """A foreign agent is an absent one: every method that takes a workspace raises NotFound for both."""

    async def create(self, workspace_id: UUID, config: AgentConfig) -> Agent:
        if await self._session.get(WorkspaceRow, workspace_id) is None:
            raise NotFound("workspace")
        agent_id, now = new_id(), self._now()
        await self._session.execute(
            self._insert(AgentRow).values(
                id=agent_id,
                workspace_id=workspace_id,
                draft=config_to_json(config),
                generation=0,
                created_at=now,
                updated_at=now,
            )
        )
        return await self.get(workspace_id, agent_id)

    async def get(self, workspace_id: UUID, agent_id: UUID) -> Agent:
        return _agent(await self._row(workspace_id, agent_id))

    async def page(self, workspace_id: UUID, page: PageRequest) -> ListPage[Agent]:
        """Oldest first."""
        statement = select(AgentRow).where(AgentRow.workspace_id == workspace_id)
        return await _OLDEST_FIRST.page(self._session, statement, page, _agent)

    async def save_draft(self, workspace_id: UUID, agent_id: UUID, config: AgentConfig) -> Agent:
        changed = await self._session.execute(
            update(AgentRow)
            .where(_is(workspace_id, agent_id))
            .values(draft=config_to_json(config), updated_at=self._now())
        )
        if not affected_rows(changed):
            raise NotFound("agent")
        return await self.get(workspace_id, agent_id)

    async def publish(self, workspace_id: UUID, agent_id: UUID) -> AgentVersion:
        """Freeze the draft as the next version and make it live. A draft equal to the live version publishes
        nothing and returns that version."""
        agent = await self._row(workspace_id, agent_id, lock=True)
        versions = await self._versions(agent_id)
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
        await self._session.execute(
            self._insert(AgentVersionRow).values(
                id=new_id(),
                agent_id=agent_id,
                number=published.number,
                config=config_to_json(draft),
                published_at=published.published_at,
            )
        )
        await self._session.execute(
            update(AgentRow)
            .where(AgentRow.id == agent_id)
            .values(live_version=published.number, updated_at=published.published_at)
        )
        return published

    async def versions(self, workspace_id: UUID, agent_id: UUID) -> list[AgentVersion]:
        """Newest first."""
        await self._row(workspace_id, agent_id)
        return await self._versions(agent_id)

    async def delete(self, workspace_id: UUID, agent_id: UUID) -> None:
        """Remove the agent and all that hangs on it."""
        gone = await self._session.execute(delete(AgentRow).where(_is(workspace_id, agent_id)))
        if not affected_rows(gone):
            raise NotFound("agent")

    async def live(self, agent_id: UUID) -> LiveAgent:
        """What visitors get. Raises NotFound for an agent that is absent or was never published."""
        published = and_(AgentVersionRow.agent_id == AgentRow.id, AgentVersionRow.number == AgentRow.live_version)
        statement = (
            select(AgentRow.workspace_id, AgentRow.generation, AgentVersionRow.number, AgentVersionRow.config)
            .join(AgentVersionRow, published)
            .where(AgentRow.id == agent_id)
        )
        found = (await self._session.execute(statement)).one_or_none()
        if found is None:
            raise NotFound("agent")
        workspace_id, generation, number, config = found
        return LiveAgent(
            id=agent_id,
            workspace_id=workspace_id,
            version=number,
            generation=generation,
            config=config_from_json(AgentConfig, config),
        )

    async def exists(self, agent_id: UUID) -> bool:
        return await self._session.scalar(select(AgentRow.id).where(AgentRow.id == agent_id)) is not None

    async def bump_generation(self, agent_id: UUID) -> int:
        """What the agent may answer from has changed; return the new generation."""
        generation: int | None = await self._session.scalar(
            update(AgentRow)
            .where(AgentRow.id == agent_id)
            .values(generation=AgentRow.generation + 1)
            .returning(AgentRow.generation)
        )
        if generation is None:
            raise NotFound("agent")
        return generation

    async def _row(self, workspace_id: UUID, agent_id: UUID, *, lock: bool = False) -> AgentRow:
        statement = select(AgentRow).where(_is(workspace_id, agent_id))
        row = await self._session.scalar(statement.with_for_update() if lock else statement)
        if row is None:
            raise NotFound("agent")
        return row

    async def _versions(self, agent_id: UUID) -> list[AgentVersion]:
        statement = (
            select(AgentVersionRow).where(AgentVersionRow.agent_id == agent_id).order_by(AgentVersionRow.number.desc())
        )
        return [_version(row) for row in await self._session.scalars(statement)]


def _is(workspace_id: UUID, agent_id: UUID) -> ColumnElement[bool]:
    return and_(AgentRow.id == agent_id, AgentRow.workspace_id == workspace_id)


def _agent(row: AgentRow) -> Agent:
    return Agent(
        id=row.id,
        workspace_id=row.workspace_id,
        draft=config_from_json(AgentConfig, row.draft),
        live_version=row.live_version,
        generation=row.generation,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _version(row: AgentVersionRow) -> AgentVersion:
    return AgentVersion(
        agent_id=row.agent_id,
        number=row.number,
        config=config_from_json(AgentConfig, row.config),
        published_at=row.published_at,
    )
