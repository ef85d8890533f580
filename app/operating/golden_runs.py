"""Golden questions are asked of an agent's versions, side by side."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from uuid import UUID, uuid4

from app.domain.agent import Agent
from app.domain.errors import InvalidInput
from app.domain.golden_question import GoldenQuestion
from app.domain.golden_run import GoldenMark, GoldenRun, GoldenSide, TrialRanking, Version
from app.operating.actor import Actor
from app.operating.evaluation import Hit, StagedRanking, ask_all, report
from app.operating.evaluation_set import Question
from app.operating.golden_set import golden_set, outcome
from app.ports.clock import Clock
from app.ports.records.page import ListPage, PageRequest
from app.ports.records.transaction import SystemOfRecord

BUDGET_SECONDS: Final = 60
KEPT: Final = 50  # runs of an agent
BOTH: Final[tuple[Version, ...]] = ("live", "draft")
_AT_ONCE = 10


class TrialSearches(Protocol):
    async def search(
        self, workspace_id: UUID, agent_id: UUID, question: str, language: str | None, version: Version
    ) -> TrialRanking:
        """Raises NotFound for an agent that is absent, another workspace's or not published; IndexUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class VersionSearch:
    """One version of an agent as a StagedSearch over pages."""

    searches: TrialSearches
    workspace_id: UUID
    agent_id: UUID
    version: Version

    async def search(self, question: Question) -> StagedRanking:
        found = await self.searches.search(
            self.workspace_id, self.agent_id, question.text, question.language, self.version
        )
        return StagedRanking(
            {stage: [Hit(page) for page in pages] for stage, pages in found.stages.items()},
            found.best,
            found.is_low_confidence,
            was_degraded=found.was_degraded,
        )


class GoldenRuns:
    """Every method raises NotFound for an agent or run that is absent or another workspace's."""

    def __init__(
        self, records: SystemOfRecord, searches: TrialSearches, clock: Clock, budget_seconds: float = BUDGET_SECONDS
    ) -> None:
        self._records = records
        self._searches = searches
        self._clock = clock
        self._budget_seconds = budget_seconds

    async def run(self, actor: Actor, agent_id: UUID, versions: Sequence[Version] = BOTH) -> GoldenRun:
        """Ask them, oldest first, until all are asked or the time is over, and keep what came of it. An agent that
        was never published has its draft alone.

        Raises InvalidInput where there is nothing to ask; IndexUnavailable.
        """
        agent, golden = await self._meant(actor, agent_id)
        if agent.live_version is None:
            versions = [version for version in versions if version == "draft"]
        if not versions:
            raise InvalidInput("version", "The agent was never published. Ask its draft.")
        if not golden:
            raise InvalidInput("", "The agent has no golden question. Write or import some first.")
        return await self._run(actor, agent, golden, versions)

    async def compared(self, actor: Actor, agent_id: UUID) -> GoldenRun | None:
        """Draft beside live as things are now, asked only where no run has; None where there is nothing to compare:
        no golden question, nothing published, or no change."""
        agent, golden = await self._meant(actor, agent_id)
        if agent.live_version is None or not golden:
            return None
        async with self._records.read() as records:
            if (await records.agents.live(agent_id)).config == agent.draft:
                return None
            known = await records.golden_runs.latest(agent_id, _fingerprint(agent, golden, BOTH))
        return known or await self._run(actor, agent, golden, BOTH)

    async def page(self, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[GoldenRun]:
        """Latest first."""
        async with self._records.read() as records:
            await records.agents.get(actor.workspace_id, agent_id)
            return await records.golden_runs.page(agent_id, page)

    async def get(self, actor: Actor, agent_id: UUID, run_id: UUID) -> GoldenRun:
        async with self._records.read() as records:
            await records.agents.get(actor.workspace_id, agent_id)
            return await records.golden_runs.get(agent_id, run_id)

    async def _meant(self, actor: Actor, agent_id: UUID) -> tuple[Agent, list[GoldenQuestion]]:
        async with self._records.read() as records:
            agent = await records.agents.get(actor.workspace_id, agent_id)
            return agent, await records.golden_questions.of_agent(agent_id)

    async def _run(
        self, actor: Actor, agent: Agent, golden: Sequence[GoldenQuestion], versions: Sequence[Version]
    ) -> GoldenRun:
        began = time.monotonic()
        rankings = await self._ask(actor, agent, golden, versions)
        asked = golden[: min(len(each) for each in rankings.values())]
        sides = {version: _side(agent, asked, rankings[version]) for version in versions}
        run = GoldenRun(
            uuid4(),
            agent.id,
            actor.name,
            self._clock.now(),
            round((time.monotonic() - began) * 1000),
            _fingerprint(agent, golden, versions),
            agent.generation,
            agent.live_version,
            len(golden),
            len(asked),
            sides.get("live"),
            sides.get("draft"),
        )
        async with self._records.write() as records:
            await records.agents.get(actor.workspace_id, agent.id)
            await records.golden_runs.add(run, KEPT)
            told = {"agent_id": str(agent.id), "versions": list(versions), "asked": len(asked)}
            await records.audit.record(actor.workspace_id, actor.name, "golden_question.run", str(run.id), told)
        return run

    async def _ask(
        self, actor: Actor, agent: Agent, golden: Sequence[GoldenQuestion], versions: Sequence[Version]
    ) -> dict[Version, list[StagedRanking]]:
        """Every version the same questions, also when the time is over."""
        ends = time.monotonic() + self._budget_seconds
        rankings: dict[Version, list[StagedRanking]] = {version: [] for version in versions}
        for start in range(0, len(golden), _AT_ONCE):
            if start and time.monotonic() > ends:
                break
            some = golden_set(agent.draft.name, golden[start : start + _AT_ONCE])
            for version in versions:
                search = VersionSearch(self._searches, actor.workspace_id, agent.id, version)
                rankings[version] += await ask_all(some, search)
        return rankings


def _side(agent: Agent, golden: Sequence[GoldenQuestion], rankings: Sequence[StagedRanking]) -> GoldenSide:
    found = report(golden_set(agent.draft.name, golden), rankings)
    outcomes = [outcome(question, ranking) for question, ranking in zip(golden, rankings, strict=True)]
    return GoldenSide(
        found.stages,
        found.held_back,
        found.degraded,
        tuple(
            GoldenMark(
                one.question.id,
                one.question.question,
                one.place,
                round(one.confidence, 4),
                one.would_answer,
                one.is_right,
            )
            for one in outcomes
        ),
    )


def _fingerprint(agent: Agent, golden: Sequence[GoldenQuestion], versions: Sequence[Version]) -> str:
    asked = [(question.id, question.question, question.pages, question.language) for question in golden]
    told = (agent.draft, agent.live_version, agent.generation, asked, tuple(versions))
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()
