"""Asks an agent's versions its golden questions, a few at a time."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from app.agents.agent import Agent, Version
from app.quality.evaluation.evaluation import Hit, StagedRanking, ask_all, report
from app.quality.evaluation.evaluation_set import Question
from app.quality.evaluation.golden_set import golden_set, outcome
from app.quality.golden_question import GoldenMark, GoldenQuestion, GoldenRun, GoldenSide, TrialRanking

_AT_ONCE: Final = 10


class SearchUnderTest(Protocol):
    async def search(self, workspace_id: UUID, golden: GoldenQuestion, version: Version) -> TrialRanking:
        """Search for a golden question's agent. If words are expected, the answer is written as well.

        Raises NotFound for an agent that does not exist, belongs to another workspace or is not published;
        IndexUnavailable.
        """
        ...


class VersionSearch:
    """One version of an agent as a StagedSearch over pages, for the questions of a golden_set from `golden`."""

    def __init__(
        self, searches: SearchUnderTest, workspace_id: UUID, golden: Sequence[GoldenQuestion], version: Version
    ) -> None:
        self._searches = searches
        self._workspace_id = workspace_id
        self._golden = {str(question.id): question for question in golden}
        self._version = version

    async def search(self, question: Question) -> StagedRanking:
        found = await self._searches.search(self._workspace_id, self._golden[question.id], self._version)
        return StagedRanking(
            {stage: [Hit(page) for page in pages] for stage, pages in found.stages.items()},
            found.best,
            found.is_low_confidence,
            was_degraded=found.was_degraded,
            missing=found.missing,
        )


class GoldenRunExecution:
    """Oldest first, and the same questions for every version, wherever it ends."""

    def __init__(
        self, searches: SearchUnderTest, agent: Agent, golden: Sequence[GoldenQuestion], versions: Sequence[Version]
    ) -> None:
        self._searches = searches
        self._agent = agent
        self._golden = golden
        self._rankings: dict[Version, list[StagedRanking]] = {version: [] for version in versions}

    @property
    def asked(self) -> int:
        return min(map(len, self._rankings.values()))

    @property
    def is_complete(self) -> bool:
        return self.asked == len(self._golden)

    async def ask_some(self) -> None:
        """Raises like SearchUnderTest."""
        some = self._golden[self.asked : self.asked + _AT_ONCE]
        for version, rankings in self._rankings.items():
            search = VersionSearch(self._searches, self._agent.workspace_id, some, version)
            rankings += await ask_all(golden_set(self._agent.draft.name, some), search)

    def as_run(
        self, run_id: UUID, asked_by: str, asked_at: datetime, milliseconds: int, goes_on_at: datetime | None = None
    ) -> GoldenRun:
        asked = self._golden[: self.asked]
        sides = {version: self._side(asked, rankings) for version, rankings in self._rankings.items()}
        agent = self._agent
        return GoldenRun(
            run_id,
            agent.id,
            asked_by,
            asked_at,
            milliseconds,
            fingerprint(agent, self._golden, list(self._rankings)),
            agent.generation,
            agent.live_version,
            len(self._golden),
            len(asked),
            sides.get("live"),
            sides.get("draft"),
            goes_on_at,
        )

    def _side(self, golden: Sequence[GoldenQuestion], rankings: Sequence[StagedRanking]) -> GoldenSide:
        found = report(golden_set(self._agent.draft.name, golden), rankings)
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
                    one.missing,
                )
                for one in outcomes
            ),
        )


def fingerprint(agent: Agent, golden: Sequence[GoldenQuestion], versions: Sequence[Version]) -> str:
    """The fingerprint of everything that the result depends on."""
    asked = [
        (each.id, each.question, each.pages, each.language, each.answer_contains, each.answer_matches)
        for each in golden
    ]
    told = (agent.draft, agent.live_version, agent.generation, asked, tuple(versions))
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()
