"""Golden questions are asked of an agent's versions, side by side; a worker asks those for which a run had no time."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

import structlog

from app.agents.agent import Agent, Version
from app.agents.model_endpoints import ChatModelNames
from app.agents.own_agent import OwnAgent, reads_agent
from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.errors import DocentError, InvalidInput
from app.core.list_page import ListPage, PageRequest
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.quality.golden_question import GoldenQuestion, GoldenRun, Judge, Trial
from app.quality.golden_run_execution import GoldenRunExecution, SearchUnderTest, fingerprint
from app.quality.records.golden_questions import GoldenQuestionRecords, GoldenRunRecords
from app.store.system_of_record import SystemOfRecord, Transaction, reads
from app.workspaces.records.audit import AuditRecords

BUDGET_SECONDS: Final = 60
KEPT: Final = 50  # runs per agent
BOTH: Final = (Trial("live"), Trial("draft"))
MAX_MODELS: Final = 8


class GoldenRuns:
    """Every method raises NotFound for an agent or run that does not exist or belongs to another workspace."""

    def __init__(
        self,
        records: SystemOfRecord,
        searches: SearchUnderTest,
        clock: Clock,
        models: ChatModelNames,
        budget_seconds: float = BUDGET_SECONDS,
    ) -> None:
        self._records = records
        self._searches = searches
        self._clock = clock
        self._models = models
        self._budget_seconds = budget_seconds

    async def run(self, actor: Actor, agent_id: UUID, versions: Sequence[Version] = ("live", "draft")) -> GoldenRun:
        """Ask the golden questions, oldest first, until all are asked or the time is over, and store the result; a
        worker asks the rest. An agent that was never published has only its draft.

        Raises InvalidInput if there is nothing to ask; IndexUnavailable.
        """
        agent, golden = await self._agent_to_ask(actor, agent_id)
        trials = [Trial(version) for version in versions if version in agent.versions]
        if not trials:
            raise InvalidInput("version", "This agent is not published yet. Run the questions with the draft.")
        return await self._run(actor, agent, golden, trials, to_its_end=True)

    async def run_models(
        self, actor: Actor, agent_id: UUID, models: Sequence[str], judge: Judge = "words"
    ) -> GoldenRun:
        """Have a worker answer the golden questions by the draft with each model. Raises as `of_models` does."""
        asking, now = await self.of_models(actor, agent_id, models, judge), self._clock.now()
        return await self._store(actor, asking.as_run(uuid4(), actor.name, now, 0, goes_on_at=now))

    async def of_models(
        self, actor: Actor, agent_id: UUID, models: Sequence[str], judge: Judge = "words"
    ) -> GoldenRunExecution:
        """An execution that answers every golden question by the draft with each of `models`, all from `choices`.

        Raises InvalidInput for another model, if there is nothing to ask, and if no model can judge.
        """
        if judge == "model" and not self._searches.has_judge:
            raise InvalidInput("judge", "No chat model is set up that could judge. Set DOCENT_MODEL_URL.")
        models, known = list(dict.fromkeys(models)), await self.choices(actor)
        if not 0 < len(models) <= MAX_MODELS or not set(models) <= set(known):
            raise InvalidInput("models", f"Choose 1 to {MAX_MODELS} of {', '.join(known)}.")
        agent, golden = await self._agent_to_ask(actor, agent_id)
        return GoldenRunExecution(self._searches, agent, golden, [Trial("draft", name, judge) for name in models])

    @reads
    def choices(self, tx: Transaction, actor: Actor) -> tuple[str, ...]:
        """The models that may be tried."""
        return self._models.choices(tx, actor.workspace_id)

    async def compared(self, actor: Actor, agent_id: UUID) -> GoldenRun | None:
        """The run that compares the current draft with the live version: the latest, or a new one if there is none.
        None if there is nothing to compare: no golden question, nothing published, or no change."""
        agent, golden = await self._agent_and_golden(actor, agent_id)
        if agent.live_version is None or not golden:
            return None
        live = await self._records.of_workspace(actor.workspace_id).read(lambda tx: AgentRecords(tx).live(agent_id))
        if live.config == agent.draft:
            return None
        return await self._latest(agent, golden) or await self._run(actor, agent, golden, BOTH, to_its_end=False)

    async def comparison(self, actor: Actor, agent_id: UUID) -> tuple[int, GoldenRun | None]:
        """The number of the agent's golden questions, and the latest run of draft and live with the current settings,
        knowledge and questions. Asks nothing."""
        agent, golden = await self._agent_and_golden(actor, agent_id)
        if agent.live_version is None or not golden:
            return len(golden), None
        return len(golden), await self._latest(agent, golden)

    @reads_agent
    def page(self, tx: Transaction, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[GoldenRun]:
        """Newest first."""
        return GoldenRunRecords(tx).page(agent_id, page)

    @reads_agent
    def golden_run(self, tx: Transaction, actor: Actor, agent_id: UUID, run_id: UUID) -> GoldenRun:
        return GoldenRunRecords(tx).golden_run(agent_id, run_id)

    async def _agent_to_ask(self, actor: Actor, agent_id: UUID) -> tuple[Agent, list[GoldenQuestion]]:
        agent, golden = await self._agent_and_golden(actor, agent_id)
        if not golden:
            raise InvalidInput("", "This agent has no golden questions. Add or import some first.")
        return agent, golden

    async def _agent_and_golden(self, actor: Actor, agent_id: UUID) -> tuple[Agent, list[GoldenQuestion]]:
        return await _agent_and_golden(self._records, actor.workspace_id, agent_id)

    async def _latest(self, agent: Agent, golden: Sequence[GoldenQuestion]) -> GoldenRun | None:
        wanted = fingerprint(agent, golden, BOTH)
        own = self._records.of_workspace(agent.workspace_id)
        return await own.read(lambda tx: GoldenRunRecords(tx).latest(agent.id, wanted))

    async def _run(
        self,
        actor: Actor,
        agent: Agent,
        golden: Sequence[GoldenQuestion],
        trials: Sequence[Trial],
        *,
        to_its_end: bool,
    ) -> GoldenRun:
        began = time.monotonic()
        ends = began + self._budget_seconds
        asking = GoldenRunExecution(self._searches, agent, golden, trials)
        await asking.ask_some()
        while not asking.is_complete and time.monotonic() <= ends:
            await asking.ask_some()
        now = self._clock.now()
        took = round((time.monotonic() - began) * 1000)
        goes_on_at = now if to_its_end and not asking.is_complete else None
        return await self._store(actor, asking.as_run(uuid4(), actor.name, now, took, goes_on_at))

    async def _store(self, actor: Actor, run: GoldenRun) -> GoldenRun:
        def work(tx: Transaction) -> GoldenRun:
            GoldenRunRecords(tx).add(run, KEPT)
            tried = {"models": [each.model for each in run.models]} if run.models else {}
            versions = list(dict.fromkeys(each.version for each in run.sides))
            details = {"agent_id": str(run.agent_id), "versions": versions, "asked": run.asked, **tried}
            AuditRecords(tx).acted(actor, "golden_question.run", run.id, **details)
            return run

        return await OwnAgent(self._records, actor, run.agent_id).write(work)


log = structlog.get_logger(__name__)

# A worker that has been silent for this long has died: the next one goes on.
LEASE: Final = timedelta(minutes=5)
GIVEN_UP_AFTER: Final = timedelta(hours=12)
SLICE: Final = timedelta(minutes=1)  # of a run, while others wait


class GoldenRunWorker(Wired):
    _records: SystemOfRecord
    _searches: SearchUnderTest
    _clock: Clock

    async def go_on(self) -> int:
        """Continue the run that has been due for longest: to its end, or for SLICE if another is due. A comparison of
        versions begins again if the knowledge has changed since. Returns how many were due."""
        now = self._clock.now()
        due = await self._records.write(lambda tx: GoldenRunRecords(tx).take(now, now + LEASE))
        if due is None:
            return 0
        workspace_id, run = due
        try:
            over: GoldenRun | None = await self._to_its_end(workspace_id, run)
        except Exception as error:
            over = replace(run, goes_on_at=None) if now - run.asked_at > GIVEN_UP_AFTER else None
            if not isinstance(error, DocentError):  # a fault of ours, which the supervisor logs
                if over is not None:
                    await self._keep(over)
                raise
            log.warning("golden_run.stuck", run=str(run.id), reason=str(error))
        if over is not None:
            await self._keep(over)
        return 1

    async def _to_its_end(self, workspace_id: UUID, run: GoldenRun) -> GoldenRun:
        """Ask the remaining questions, or some; if settings or questions have changed, the run ends as it is."""
        trials = list(run.sides)
        agent, golden = await _agent_and_golden(self._records, workspace_id, run.agent_id)
        if fingerprint(replace(agent, generation=run.generation), golden, trials) != run.fingerprint:
            return replace(run, goes_on_at=None)
        began, since = time.monotonic(), self._clock.now()
        # What models wrote is not paid for again; the publish gate does not rely on it.
        if run.models:
            agent = replace(agent, generation=run.generation)
        earlier = run if agent.generation == run.generation else None
        asking = GoldenRunExecution(self._searches, agent, golden, trials, earlier)

        def so_far() -> GoldenRun:
            took = round((time.monotonic() - began) * 1000)
            return asking.as_run(run.id, run.asked_by, run.asked_at, took, self._clock.now() + LEASE)

        while not asking.is_complete:
            now = self._clock.now()
            if asking.is_even and now - since >= SLICE and await self._others_wait(run, now):
                return replace(so_far(), goes_on_at=now)
            await asking.ask_some()
            if not await self._keep(so_far()):
                break
        over = replace(so_far(), goes_on_at=None)
        current_inputs = await _agent_and_golden(self._records, workspace_id, run.agent_id)
        is_current = fingerprint(*current_inputs, trials) == over.fingerprint
        return over if is_current else replace(over, fingerprint="")  # no publish relies on it

    async def _others_wait(self, run: GoldenRun, now: datetime) -> bool:
        return await self._records.read(lambda tx: GoldenRunRecords(tx).is_another_due(run.id, now))

    async def _keep(self, run: GoldenRun) -> bool:
        return await self._records.of_agent(run.agent_id).write(lambda tx: GoldenRunRecords(tx).save(run))


async def _agent_and_golden(
    records: SystemOfRecord, workspace_id: UUID, agent_id: UUID
) -> tuple[Agent, list[GoldenQuestion]]:
    """The agent and its golden questions. Raises NotFound."""

    def work(tx: Transaction) -> tuple[Agent, list[GoldenQuestion]]:
        return AgentRecords(tx).agent(workspace_id, agent_id), GoldenQuestionRecords(tx).questions(agent_id)

    return await records.of_workspace(workspace_id).read(work)
