"""Asks an agent's versions its golden questions, a few at a time, as a set of which search is measured."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from app.agents.agent import Agent
from app.quality.evaluation.evaluation import StagedRanking, ask_all, report
from app.quality.evaluation.evaluation_set import EvaluationSet, Question, SetDocument
from app.quality.golden_question import GoldenMark, GoldenQuestion, GoldenRun, GoldenSide, ModelSide, Trial

_AT_ONCE: Final = 10
_ANSWERED_AT_ONCE: Final = 2  # of a model, which may take a minute for each
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
    decline. An answer that was written, of which no words are expected, has to cite an expected page."""
    pages = list(dict.fromkeys(hit.document_id for hit in ranking.stages["reranked"]))
    place = min((place for place, page in enumerate(pages, start=1) if page in question.page_keys), default=None)
    would_answer, confidence = not ranking.is_low_confidence, round(ranking.confidence, 4)
    written, missing = ranking.written, ranking.missing
    is_cited = written is None or question.expects_words or written.is_cited
    is_right = would_answer is question.is_answerable and question.is_met(place, missing) and is_cited
    return GoldenMark(question.id, question.question, place, confidence, would_answer, is_right, missing, written)


class SearchUnderTest(Protocol):
    async def search(self, workspace_id: UUID, golden: GoldenQuestion, trial: Trial) -> StagedRanking:
        """Search for a golden question's agent: the pages found by their keys, best first and once per chunk. If words
        are expected or a model is tried, the answer is written as well.

        Raises NotFound for an agent that does not exist, belongs to another workspace or is not published;
        IndexUnavailable.
        """
        ...


class VersionSearch:
    """One version of an agent as a StagedSearch over pages, for the questions of a golden_set from `golden`."""

    def __init__(
        self, searches: SearchUnderTest, workspace_id: UUID, golden: Sequence[GoldenQuestion], trial: Trial
    ) -> None:
        self._searches = searches
        self._workspace_id = workspace_id
        self._golden = {str(question.id): question for question in golden}
        self._trial = trial

    async def search(self, question: Question) -> StagedRanking:
        return await self._searches.search(self._workspace_id, self._golden[question.id], self._trial)


class GoldenRunExecution:
    """Oldest first, and the same questions for every trial, wherever it ends."""

    def __init__(
        self, searches: SearchUnderTest, agent: Agent, golden: Sequence[GoldenQuestion], trials: Sequence[Trial]
    ) -> None:
        self._searches = searches
        self._agent = agent
        self._golden = golden
        self._rankings: dict[Trial, list[StagedRanking]] = {trial: [] for trial in trials}

    @property
    def asked(self) -> int:
        return min(map(len, self._rankings.values()))

    @property
    def is_complete(self) -> bool:
        return self.asked == len(self._golden)

    async def ask_some(self) -> None:
        """Of every version, or of the model that is behind the others. Raises like SearchUnderTest."""
        asked = self.asked
        behind = next(trial for trial, rankings in self._rankings.items() if len(rankings) == asked)
        most = _AT_ONCE if behind.model is None else _ANSWERED_AT_ONCE
        some = self._golden[asked : asked + most]
        for trial in [behind] if behind.model is not None else self._rankings:
            search = VersionSearch(self._searches, self._agent.workspace_id, some, trial)
            self._rankings[trial] += await ask_all(golden_set(self._agent.draft.name, some), search)

    def as_run(
        self, run_id: UUID, asked_by: str, asked_at: datetime, milliseconds: int, goes_on_at: datetime | None = None
    ) -> GoldenRun:
        asked = self._golden[: self.asked]
        sides = {trial: self._side(asked, rankings[: len(asked)], trial) for trial, rankings in self._rankings.items()}
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
            sides.get(Trial("live")),
            sides.get(Trial("draft")),
            goes_on_at,
            tuple(side for side in sides.values() if isinstance(side, ModelSide)),
        )

    def _side(
        self, golden: Sequence[GoldenQuestion], rankings: Sequence[StagedRanking], trial: Trial
    ) -> GoldenSide | ModelSide:
        found = report(golden_set(self._agent.draft.name, golden), rankings)
        marks = tuple(map(mark, golden, rankings))
        side = found.stages, found.held_back, found.degraded, marks
        return GoldenSide(*side) if trial.model is None else ModelSide(*side, trial.model)


def fingerprint(agent: Agent, golden: Sequence[GoldenQuestion], trials: Sequence[Trial]) -> str:
    """The fingerprint of everything that the result depends on."""
    asked = [
        (each.id, each.question, each.pages, each.language, each.answer_contains, each.answer_matches)
        for each in golden
    ]
    tried = tuple(trial.version if trial.model is None else (trial.version, trial.model) for trial in trials)
    told = (agent.draft, agent.live_version, agent.generation, asked, tried)
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()
