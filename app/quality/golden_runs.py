"""Golden questions are asked of an agent's versions, side by side."""

import time
from collections.abc import Sequence
from typing import Final
from uuid import UUID, uuid4

from app.agents.agent import Agent, Version
from app.agents.own_agent import OwnAgent
from app.agents.records.agents import AgentRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.list_page import ListPage, PageRequest
from app.kit.clock import Clock
from app.quality.golden_question import GoldenQuestion
from app.quality.golden_run import GoldenRun
from app.quality.golden_run_execution import GoldenRunExecution, SearchUnderTest, fingerprint
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.quality.records.golden_runs import GoldenRunRecords
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords

BUDGET_SECONDS: Final = 60
KEPT: Final = 50  # runs of an agent
BOTH: Final[tuple[Version, ...]] = ("live", "draft")


class GoldenRuns:
    """Every method raises NotFound for an agent or run that is absent or another workspace's."""

    def __init__(
        self, records: SystemOfRecord, searches: SearchUnderTest, clock: Clock, budget_seconds: float = BUDGET_SECONDS
    ) -> None:
        self._records = records
        self._searches = searches
        self._clock = clock
        self._budget_seconds = budget_seconds

    async def run(self, actor: Actor, agent_id: UUID, versions: Sequence[Version] = BOTH) -> GoldenRun:
        """Ask them, oldest first, until all are asked or the time is over, and keep what came of it; what is left
        then a worker asks. An agent that was never published has its draft alone.

        Raises InvalidInput where there is nothing to ask; IndexUnavailable.
        """
        agent, golden = await self._meant(actor, agent_id)
        if agent.live_version is None:
            versions = [version for version in versions if version == "draft"]
        if not versions:
            raise InvalidInput("version", "The agent was never published. Ask its draft.")
        if not golden:
            raise InvalidInput("", "The agent has no golden question. Write or import some first.")
        return await self._run(actor, agent, golden, versions, to_its_end=True)

    async def compared(self, actor: Actor, agent_id: UUID) -> GoldenRun | None:
        """Draft beside live as things are now, asked only where no run has; None where there is nothing to compare:
        no golden question, nothing published, or no change."""
        agent, golden = await self._meant(actor, agent_id)
        if agent.live_version is None or not golden:
            return None
        live = await self._records.of_workspace(actor.workspace_id).read(lambda tx: AgentRecords(tx).live(agent_id))
        if live.config == agent.draft:
            return None
        meant = fingerprint(agent, golden, BOTH)
        known = await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: GoldenRunRecords(tx).latest(agent_id, meant)
        )
        return known or await self._run(actor, agent, golden, BOTH, to_its_end=False)

    async def comparison(self, actor: Actor, agent_id: UUID) -> tuple[int, GoldenRun | None]:
        """How many golden questions the agent has, and the latest run of draft beside live that is about settings,
        knowledge and questions as they are now. It asks nothing."""
        agent, golden = await self._meant(actor, agent_id)
        if agent.live_version is None or not golden:
            return len(golden), None
        meant = fingerprint(agent, golden, BOTH)
        run = await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: GoldenRunRecords(tx).latest(agent_id, meant)
        )
        return len(golden), run

    async def page(self, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[GoldenRun]:
        """Latest first."""

        return await OwnAgent(self._records, actor, agent_id).read(lambda tx: GoldenRunRecords(tx).page(agent_id, page))

    async def get(self, actor: Actor, agent_id: UUID, run_id: UUID) -> GoldenRun:
        return await OwnAgent(self._records, actor, agent_id).read(
            lambda tx: GoldenRunRecords(tx).get(agent_id, run_id)
        )

    async def _meant(self, actor: Actor, agent_id: UUID) -> tuple[Agent, list[GoldenQuestion]]:
        def work(tx: Transaction) -> tuple[Agent, list[GoldenQuestion]]:
            agent = AgentRecords(tx).get(actor.workspace_id, agent_id)
            return agent, GoldenQuestionRecords(tx).of_agent(agent_id)

        return await self._records.of_workspace(actor.workspace_id).read(work)

    async def _run(
        self,
        actor: Actor,
        agent: Agent,
        golden: Sequence[GoldenQuestion],
        versions: Sequence[Version],
        *,
        to_its_end: bool,
    ) -> GoldenRun:
        began = time.monotonic()
        ends = began + self._budget_seconds
        asking = GoldenRunExecution(self._searches, agent, golden, versions)
        await asking.ask_some()
        while not asking.is_complete and time.monotonic() <= ends:
            await asking.ask_some()
        now = self._clock.now()
        took = round((time.monotonic() - began) * 1000)
        goes_on_at = now if to_its_end and not asking.is_complete else None
        run = asking.as_run(uuid4(), actor.name, now, took, goes_on_at)

        def work(tx: Transaction) -> None:
            GoldenRunRecords(tx).add(run, KEPT)
            told = {"agent_id": str(agent.id), "versions": list(versions), "asked": run.asked}
            AuditRecords(tx).acted(actor, "golden_question.run", run.id, **told)

        await OwnAgent(self._records, actor, agent.id).write(work)
        return run
