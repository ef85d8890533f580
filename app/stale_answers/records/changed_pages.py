"""Pages that changed and wait for somebody to look which answers rest on what they said."""

from sqlalchemy import and_, delete, select

from app.knowledge.document import VersionState
from app.sources.source import RunState
from app.stale_answers.stale_answer import PageChange
from app.store.codec import value_of
from app.store.tables.agents import AGENTS
from app.store.tables.documents import DOCUMENT_VERSIONS, PAGE_CHANGES
from app.store.tables.sources import CRAWL_RUNS
from app.store.transaction import Repository, affected_rows

_AT_WORK = (RunState.QUEUED.value, RunState.RUNNING.value)
_IS_LIVE = DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value


class ChangedPageRecords(Repository):
    def due(self, at_most: int) -> list[PageChange]:
        """Of published agents that no run is reading for, oldest first."""
        is_being_read = (
            select(CRAWL_RUNS.c.id)
            .where(CRAWL_RUNS.c.agent_id == AGENTS.c.id, CRAWL_RUNS.c.state.in_(_AT_WORK))
            .exists()
        )
        now_live = and_(DOCUMENT_VERSIONS.c.document_id == PAGE_CHANGES.c.document_id, _IS_LIVE)
        statement = (
            select(PAGE_CHANGES, AGENTS.c.workspace_id, DOCUMENT_VERSIONS.c.markdown)
            .join(AGENTS, AGENTS.c.id == PAGE_CHANGES.c.agent_id)
            .outerjoin(DOCUMENT_VERSIONS, now_live)
            .where(AGENTS.c.live_version.is_not(None), ~is_being_read)
            .order_by(PAGE_CHANGES.c.changed_at, PAGE_CHANGES.c.document_id)
            .limit(at_most)
        )
        return [value_of(PageChange, row, after=row.markdown or "") for row in self._connection.execute(statement)]

    def is_looked_at(self, change: PageChange) -> bool:
        """It waits no longer. False where it waited no longer before, or the page has changed again."""
        own = PAGE_CHANGES.c.document_id == change.document_id, PAGE_CHANGES.c.changed_at == change.changed_at
        return bool(affected_rows(self._connection.execute(delete(PAGE_CHANGES).where(*own))))
