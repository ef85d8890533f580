"""Golden questions that were not all asked in a run's time are asked to the end, by a worker."""

import time
from dataclasses import replace
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog

from app.agents.agent import Agent, Version
from app.agents.records.agents import AgentRecords
from app.core.errors import DocentError
from app.kit.clock import Clock
from app.quality.golden_question import GoldenQuestion
from app.quality.golden_run import GoldenRun
from app.quality.golden_run_execution import GoldenRunExecution, SearchUnderTest, fingerprint
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.quality.records.golden_runs import GoldenRunRecords
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)

# A worker that says nothing for so long has died: the next one begins again.
LEASE: Final = timedelta(minutes=2)
GIVEN_UP_AFTER: Final = timedelta(hours=12)


class GoldenRunWorker:
    def __init__(self, records: SystemOfRecord, searches: SearchUnderTest, clock: Clock) -> None:
        self._records = records
        self._searches = searches
        self._clock = clock

    async def go_on(self) -> int:
        """One run is asked to its end, from the beginning and as things are now; return how many were due."""
        now = self._clock.now()
        due = await self._records.write(lambda tx: GoldenRunRecords(tx).take(now, now + LEASE))
        if due is None:
            return 0
        workspace_id, run = due
        try:
            over: GoldenRun | None = await self._to_its_end(workspace_id, run)
        except DocentError as error:
            log.warning("golden_run.stuck", run=str(run.id), reason=str(error))
            over = replace(run, goes_on_at=None) if now - run.asked_at > GIVEN_UP_AFTER else None
        if over is not None:
            await self._keep(over)
        return 1

    async def _to_its_end(self, workspace_id: UUID, run: GoldenRun) -> GoldenRun:
        """The run as it is where other settings or questions make it a run of things that are no more."""
        versions: list[Version] = [name for name in _VERSIONS if getattr(run, name) is not None]
        agent, golden = await self._meant(workspace_id, run.agent_id)
        if fingerprint(replace(agent, generation=run.generation), golden, versions) != run.fingerprint:
            return replace(run, goes_on_at=None)
        asking, began = GoldenRunExecution(self._searches, agent, golden, versions), time.monotonic()

        def so_far() -> GoldenRun:
            took = round((time.monotonic() - began) * 1000)
            return asking.as_run(run.id, run.asked_by, run.asked_at, took, self._clock.now() + LEASE)

        while not asking.is_complete:
            await asking.ask_some()
            # Until it is further than the run was, only the lease is new.
            kept = so_far() if asking.asked > run.asked else replace(run, goes_on_at=self._clock.now() + LEASE)
            if not await self._keep(kept):
                break
        over = replace(so_far(), goes_on_at=None)
        now_meant = await self._meant(workspace_id, run.agent_id)
        is_of_now = fingerprint(*now_meant, versions) == over.fingerprint
        return over if is_of_now else replace(over, fingerprint="")  # no publish relies on it

    async def _meant(self, workspace_id: UUID, agent_id: UUID) -> tuple[Agent, list[GoldenQuestion]]:
        def work(tx: Transaction) -> tuple[Agent, list[GoldenQuestion]]:
            agent = AgentRecords(tx).get(workspace_id, agent_id)
            return agent, GoldenQuestionRecords(tx).of_agent(agent_id)

        return await self._records.of_workspace(workspace_id).read(work)

    async def _keep(self, run: GoldenRun) -> bool:
        return await self._records.of_agent(run.agent_id).write(lambda tx: GoldenRunRecords(tx).save(run))


_VERSIONS: Final[tuple[Version, ...]] = ("live", "draft")
