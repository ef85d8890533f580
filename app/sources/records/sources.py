"""Sources: what an agent learns from."""

from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, select, update

from app.agents.records.agents import AgentRecords
from app.core.errors import NotFound
from app.sources.records.schedules import ScheduleRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import Source, SourceConfig, SourceKind
from app.store.tables.agents import AGENTS
from app.store.tables.documents import DOCUMENT_VERSIONS, DOCUMENTS
from app.store.tables.sources import CRAWL_RUNS, SOURCES
from app.store.transaction import Repository, affected_rows, config_to_json, new_id, value_of


class SourceRecords(Repository):
    """Sources belong to agents whose workspace the caller has checked; `get` and `of_agent` see that agent only."""

    def create(self, agent_id: UUID, config: SourceConfig, source_id: UUID | None = None) -> Source:
        """`source_id` names the source where something was kept for it before, else it gets a new id."""
        if not self._exists(AGENTS, agent_id):
            raise NotFound("agent")
        source = Source(id=source_id or new_id(), agent_id=agent_id, config=config, created_at=self._now())
        self._add(SOURCES, source)
        return source

    def get(self, agent_id: UUID, source_id: UUID) -> Source:
        """With its latest run. Raises NotFound."""
        found = self._sources(_is(agent_id, source_id))
        if not found:
            raise NotFound("source")
        return found[0]

    def find(self, workspace_id: UUID, source_id: UUID) -> Source:
        """The same for a caller who knows the workspace only. Raises NotFound."""
        of_workspace = select(AGENTS.c.id).where(AGENTS.c.workspace_id == workspace_id)
        found = self._sources(and_(SOURCES.c.id == source_id, SOURCES.c.agent_id.in_(of_workspace)))
        if not found:
            raise NotFound("source")
        return found[0]

    def public_file(self, source_id: UUID) -> Source:
        """The same for a caller who may be anybody. Raises NotFound unless it is a file that is public."""
        found = self._sources(SOURCES.c.id == source_id)
        if not found or not found[0].config.is_public or found[0].config.kind is not SourceKind.FILE:
            raise NotFound("file")
        return found[0]

    def of_agent(self, agent_id: UUID) -> list[Source]:
        """Oldest first, each with its latest run."""
        return self._sources(SOURCES.c.agent_id == agent_id)

    def save(self, agent_id: UUID, source_id: UUID, config: SourceConfig) -> Source:
        changed = self._connection.execute(
            update(SOURCES).where(_is(agent_id, source_id)).values(config=config_to_json(config))
        )
        if not affected_rows(changed):
            raise NotFound("source")
        return self.get(agent_id, source_id)

    def delete(self, agent_id: UUID, source_id: UUID) -> list[UUID]:
        """Remove the source with its documents; return their version ids, whose index rows are now orphans. The
        agent's generation rises if there were any. Raises NotFound."""
        versions = (
            select(DOCUMENT_VERSIONS.c.id)
            .join(DOCUMENTS, DOCUMENTS.c.id == DOCUMENT_VERSIONS.c.document_id)
            .where(DOCUMENTS.c.source_id == source_id, DOCUMENTS.c.agent_id == agent_id)
        )
        version_ids = list(self._connection.scalars(versions))
        gone = self._connection.execute(delete(SOURCES).where(_is(agent_id, source_id)))
        if not affected_rows(gone):
            raise NotFound("source")
        if version_ids:
            AgentRecords(self._tx).bump_generation(agent_id)
        return version_ids

    def run_source(self, run_id: UUID) -> Source:
        of_run = select(CRAWL_RUNS.c.source_id).where(CRAWL_RUNS.c.id == run_id)
        found = self._sources(SOURCES.c.id.in_(of_run))
        if not found:
            raise NotFound("crawl run")
        return found[0]

    def _sources(self, condition: ColumnElement[bool]) -> list[Source]:
        statement = select(SOURCES).where(condition).order_by(SOURCES.c.created_at, SOURCES.c.id)
        rows = self._connection.execute(statement).all()
        runs = CrawlRunRecords(self._tx).latest_runs([row.id for row in rows])
        schedules = ScheduleRecords(self._tx).of_sources([row.id for row in rows])
        return [value_of(Source, row, run=runs.get(row.id), schedule=schedules.get(row.id)) for row in rows]


def _is(agent_id: UUID, source_id: UUID) -> ColumnElement[bool]:
    return and_(SOURCES.c.id == source_id, SOURCES.c.agent_id == agent_id)
