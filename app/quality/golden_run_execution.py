"""Asks an agent's versions its golden questions, a few at a time, as a set of which search is measured."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from app.agents.agent import Agent, Version
from app.quality.evaluation.evaluation import StagedRanking, ask_all, report
from app.quality.evaluation.evaluation_set import EvaluationSet, Question, SetDocument
from app.quality.golden_question import GoldenMark, GoldenQuestion, GoldenRun, GoldenSide

_AT_ONCE: Final = 10
ANSWERABLE = "answerable"
TO_DECLINE = "to decline"  # the website does not answer it


def golden_set(name: str, golden: Sequence[GoldenQuestion]) -> EvaluationSet:
    """Pages are compared by their keys; nothing is learnt from the set."""
    pages = dict.fromkeys(key for question in golden for key in question.page_keys)
    return EvaluationSet(
        name,
        tuple(SetDocument(key, key, None) for key in pages),
        (),
        tuple(
            Question(
                str(question.id),
                question.question,
                question.is_answerable,
                ANSWERABLE if question.is_answerable else TO_DECLINE,
                right_documents=question.page_keys,
                language=question.language,
            )
            for question in golden
        ),
    )


def mark(question: GoldenQuestion, ranking: StagedRanking) -> GoldenMark:
    """`is_right`: the agent would answer, with all that is expected; or nothing answers the question and it would
    decline."""
    pages = list(dict.fromkeys(hit.document_id for hit in ranking.stages["reranked"]))
    place = min((place for place, page in enumerate(pages, start=1) if page in question.page_keys), default=None)
    would_answer, confidence = not ranking.is_low_confidence, round(ranking.confidence, 4)
    is_right = would_answer is question.is_answerable and question.is_met(place, ranking.missing)
    return GoldenMark(question.id, question.question, place, confidence, would_answer, is_right, ranking.missing)


class SearchUnderTest(Protocol):
    async def search(self, workspace_id: UUID, golden: GoldenQuestion, version: Version) -> StagedRanking:
        """Search for a golden question's agent: the pages found by their keys, best first and once per chunk. If words
        are expected, the answer is written as well.

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
        return await self._searches.search(self._workspace_id, self._golden[question.id], self._version)


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
        marks = tuple(map(mark, golden, rankings))
        return GoldenSide(found.stages, found.held_back, found.degraded, marks)


def fingerprint(agent: Agent, golden: Sequence[GoldenQuestion], versions: Sequence[Version]) -> str:
    """The fingerprint of everything that the result depends on."""
    asked = [
        (each.id, each.question, each.pages, each.language, each.answer_contains, each.answer_matches)
        for each in golden
    ]
    told = (agent.draft, agent.live_version, agent.generation, asked, tuple(versions))
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()
