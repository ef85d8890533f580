"""Golden questions asked, and what came of it."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select, update

from app.core.list_page import ListPage, PageRequest
from app.quality.golden_run import GoldenRun
from app.store.tables.agents import AGENTS
from app.store.tables.golden import GOLDEN_RUNS
from app.store.transaction import Keyset, Repository, affected_rows, row_of, value_of

_LATEST_FIRST = Keyset(GOLDEN_RUNS.c.asked_at, GOLDEN_RUNS.c.id, descending=True)


class GoldenRunRecords(Repository):
    """The caller has checked the workspace."""

    def add(self, run: GoldenRun, keep: int) -> None:
        """Of the agent's runs the latest `keep` stay."""
        self._add(GOLDEN_RUNS, run)
        of_agent = GOLDEN_RUNS.c.agent_id == run.agent_id
        latest = (
            select(GOLDEN_RUNS.c.id)
            .where(of_agent)
            .order_by(GOLDEN_RUNS.c.asked_at.desc(), GOLDEN_RUNS.c.id.desc())
            .limit(keep)
        )
        kept = list(self._connection.scalars(latest))
        self._connection.execute(delete(GOLDEN_RUNS).where(of_agent, GOLDEN_RUNS.c.id.not_in(kept)))

    def page(self, agent_id: UUID, page: PageRequest) -> ListPage[GoldenRun]:
        """Latest first."""
        statement = select(GOLDEN_RUNS).where(GOLDEN_RUNS.c.agent_id == agent_id)
        return self._page(_LATEST_FIRST, GoldenRun, statement, page)

    def get(self, agent_id: UUID, run_id: UUID) -> GoldenRun:
        """Raises NotFound."""
        statement = select(GOLDEN_RUNS).where(GOLDEN_RUNS.c.id == run_id, GOLDEN_RUNS.c.agent_id == agent_id)
        return self._found(GoldenRun, statement, "golden run")

    def take(self, now: datetime, until: datetime) -> tuple[UUID, GoldenRun] | None:
        """A run of any agent that goes on by `now`, the oldest, with its workspace; for others it goes on at `until`.
        None where none does."""
        statement = (
            select(GOLDEN_RUNS, AGENTS.c.workspace_id)
            .join(AGENTS, AGENTS.c.id == GOLDEN_RUNS.c.agent_id)
            .where(GOLDEN_RUNS.c.goes_on_at <= now)
            .order_by(GOLDEN_RUNS.c.asked_at, GOLDEN_RUNS.c.id)
            .limit(1)
            .with_for_update(of=GOLDEN_RUNS, skip_locked=True)
        )
        found = self._connection.execute(statement).first()
        if found is None:
            return None
        taken = update(GOLDEN_RUNS).where(GOLDEN_RUNS.c.id == found.id, GOLDEN_RUNS.c.goes_on_at == found.goes_on_at)
        if affected_rows(self._connection.execute(taken.values(goes_on_at=until))) == 0:
            return None  # another worker was faster
        return found.workspace_id, replace(value_of(GoldenRun, found), goes_on_at=until)

    def save(self, run: GoldenRun) -> bool:
        """What came of it by now; False for a run that is there no more."""
        statement = update(GOLDEN_RUNS).where(GOLDEN_RUNS.c.id == run.id).values(**row_of(run, GOLDEN_RUNS))
        return affected_rows(self._connection.execute(statement)) == 1

    def latest(self, agent_id: UUID, fingerprint: str) -> GoldenRun | None:
        statement = (
            select(GOLDEN_RUNS)
            .where(GOLDEN_RUNS.c.agent_id == agent_id, GOLDEN_RUNS.c.fingerprint == fingerprint)
            .order_by(GOLDEN_RUNS.c.asked_at.desc(), GOLDEN_RUNS.c.id.desc())
            .limit(1)
        )
        return self._value(GoldenRun, statement)
