"""Sources: what an agent learns from."""

from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, select, update

from app.domain.errors import NotFound
from app.domain.source import Source, SourceConfig, SourceKind
from app.store.agents import AgentRecords
from app.store.config_json import config_from_json, config_to_json
from app.store.crawl_runs import CrawlRunRecords
from app.store.models import AgentRow, CrawlRunRow, DocumentRow, DocumentVersionRow, SourceRow
from app.store.schedules import ScheduleRecords
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository, affected_rows


class SourceRecords(Repository):
    """Sources belong to agents whose workspace the caller has checked; `get` and `of_agent` see that agent only."""

    async def create(self, agent_id: UUID, config: SourceConfig) -> Source:
        if await self._session.get(AgentRow, agent_id) is None:
            raise NotFound("agent")
        source = Source(id=new_id(), agent_id=agent_id, config=config, created_at=self._now())
        await self._session.execute(
            self._insert(SourceRow).values(
                id=source.id, agent_id=agent_id, config=config_to_json(config), created_at=source.created_at
            )
        )
        return source

    async def get(self, agent_id: UUID, source_id: UUID) -> Source:
        """With its latest run. Raises NotFound."""
        found = await self._sources(_is(agent_id, source_id))
        if not found:
            raise NotFound("source")
        return found[0]

    async def find(self, workspace_id: UUID, source_id: UUID) -> Source:
        """The same for a caller who knows the workspace only. Raises NotFound."""
        of_workspace = select(AgentRow.id).where(AgentRow.workspace_id == workspace_id)
        found = await self._sources(and_(SourceRow.id == source_id, SourceRow.agent_id.in_(of_workspace)))
        if not found:
            raise NotFound("source")
        return found[0]

    async def public_file(self, source_id: UUID) -> Source:
        """The same for a caller who may be anybody. Raises NotFound unless it is a file that is public."""
        found = await self._sources(SourceRow.id == source_id)
        if not found or not found[0].config.is_public or found[0].config.kind is not SourceKind.FILE:
            raise NotFound("file")
        return found[0]

    async def of_agent(self, agent_id: UUID) -> list[Source]:
        """Oldest first, each with its latest run."""
        return await self._sources(SourceRow.agent_id == agent_id)

    async def save(self, agent_id: UUID, source_id: UUID, config: SourceConfig) -> Source:
        changed = await self._session.execute(
            update(SourceRow).where(_is(agent_id, source_id)).values(config=config_to_json(config))
        )
        if not affected_rows(changed):
            raise NotFound("source")
        return await self.get(agent_id, source_id)

    async def delete(self, agent_id: UUID, source_id: UUID) -> list[UUID]:
        """Remove the source with its documents; return their version ids, whose index rows are now orphans. The
        agent's generation rises if there were any. Raises NotFound."""
        versions = (
            select(DocumentVersionRow.id)
            .join(DocumentRow, DocumentRow.id == DocumentVersionRow.document_id)
            .where(DocumentRow.source_id == source_id, DocumentRow.agent_id == agent_id)
        )
        version_ids = list(await self._session.scalars(versions))
        gone = await self._session.execute(delete(SourceRow).where(_is(agent_id, source_id)))
        if not affected_rows(gone):
            raise NotFound("source")
        if version_ids:
            await AgentRecords(self._tx).bump_generation(agent_id)
        return version_ids

    async def run_source(self, run_id: UUID) -> Source:
        of_run = select(CrawlRunRow.source_id).where(CrawlRunRow.id == run_id)
        found = await self._sources(SourceRow.id.in_(of_run))
        if not found:
            raise NotFound("crawl run")
        return found[0]

    async def _sources(self, condition: ColumnElement[bool]) -> list[Source]:
        statement = select(SourceRow).where(condition).order_by(SourceRow.created_at, SourceRow.id)
        rows = (await self._session.scalars(statement)).all()
        runs = await CrawlRunRecords(self._tx).latest_runs([row.id for row in rows])
        schedules = await ScheduleRecords(self._tx).of_sources([row.id for row in rows])
        return [
            Source(
                id=row.id,
                agent_id=row.agent_id,
                config=config_from_json(SourceConfig, row.config),
                created_at=row.created_at,
                run=runs.get(row.id),
                schedule=schedules.get(row.id),
            )
            for row in rows
        ]


def _is(agent_id: UUID, source_id: UUID) -> ColumnElement[bool]:
    return and_(SourceRow.id == source_id, SourceRow.agent_id == agent_id)
