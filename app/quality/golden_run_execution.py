"""Asks an agent's versions its golden questions, a few at a time, as a set of which search is measured."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from app.agents.agent import Agent
from app.quality.evaluation.evaluation import StagedRanking, ask_all, report
from app.quality.evaluation.evaluation_set import EvaluationSet, Question, SetDocument
from app.quality.golden_question import (
    ANSWERABLE,
    TO_DECLINE,
    GoldenMark,
    GoldenQuestion,
    GoldenRun,
    GoldenSide,
    ModelSide,
    Trial,
)

_AT_ONCE: Final = 10
_ANSWERED_AT_ONCE: Final = 2  # of a model, which may take a minute for each


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
    """Whether the result `is_right`: the agent would answer with all that is expected, or decline a question that the
    website does not answer. If an answer was written and no words are expected, it must cite an expected page."""
    pages = list(dict.fromkeys(hit.document_id for hit in ranking.stages["reranked"]))
    place = min((place for place, page in enumerate(pages, start=1) if page in question.page_keys), default=None)
    would_answer, confidence = not ranking.is_low_confidence, round(ranking.confidence, 4)
    written, missing = ranking.written, ranking.missing
    is_cited = written is None or question.expects_words or written.is_cited
    is_right = would_answer is question.is_answerable and question.is_met(place, missing) and is_cited
    return GoldenMark(
        question.id,
        question.question,
        place,
        confidence,
        would_answer,
        is_right,
        missing,
        written,
        ranking.judged_by,
        question.is_answerable,
    )


class SearchUnderTest(Protocol):
    @property
    def has_judge(self) -> bool:
        """Whether there is a model that can judge answers."""
        ...

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
    """Asks every trial the golden questions, oldest first. Wherever it ends, all trials have been asked the same ones.
    It continues `earlier`, a run with the same agent, questions and trials."""

    def __init__(
        self,
        searches: SearchUnderTest,
        agent: Agent,
        golden: Sequence[GoldenQuestion],
        trials: Sequence[Trial],
        earlier: GoldenRun | None = None,
    ) -> None:
        self._searches = searches
        self._agent = agent
        self._golden = golden
        self._earlier_ms = earlier.milliseconds if earlier else 0
        self._sides = earlier.sides if earlier else {trial: self._side([], [], trial) for trial in trials}
        # Results of the next questions, until every trial has them.
        self._further: dict[Trial, list[StagedRanking]] = {}
        self.asked = earlier.asked if earlier else 0

    @property
    def is_complete(self) -> bool:
        return self.asked == len(self._golden)

    @property
    def is_even(self) -> bool:
        """Whether all models have answered the same questions; if not, `as_run` lacks answers of some."""
        return not self._further

    async def ask_some(self) -> None:
        """Ask every version, or the next model, a few more questions. Raises like SearchUnderTest."""
        first, *others = [trial for trial in self._sides if trial not in self._further]
        some = self._golden[self.asked :][: _AT_ONCE if first.model is None else _ANSWERED_AT_ONCE]
        for trial in [first, *others] if first.model is None else [first]:
            search = VersionSearch(self._searches, self._agent.workspace_id, some, trial)
            self._further[trial] = await ask_all(golden_set(self._agent.draft.name, some), search)
        if len(self._further) == len(self._sides):
            before = self._golden[: self.asked]
            for trial, rankings in self._further.items():
                self._sides[trial] = _joined(self._sides[trial], before, self._side(some, rankings, trial), some)
            self.asked += len(some)
            self._further = {}

    def as_run(
        self, run_id: UUID, asked_by: str, asked_at: datetime, milliseconds: int, goes_on_at: datetime | None = None
    ) -> GoldenRun:
        """`milliseconds` have passed since this execution was created."""
        agent, sides = self._agent, self._sides
        return GoldenRun(
            run_id,
            agent.id,
            asked_by,
            asked_at,
            self._earlier_ms + milliseconds,
            fingerprint(agent, self._golden, list(sides)),
            agent.generation,
            agent.live_version,
            len(self._golden),
            self.asked,
            sides.get(Trial("live")),
            sides.get(Trial("draft")),
            goes_on_at,
            tuple(side for side in sides.values() if isinstance(side, ModelSide)),
        )

    def _side(self, golden: Sequence[GoldenQuestion], rankings: Sequence[StagedRanking], trial: Trial) -> GoldenSide:
        found = report(golden_set(self._agent.draft.name, golden), rankings)
        marks = tuple(map(mark, golden, rankings))
        side = found.stages, found.degraded, marks
        return GoldenSide(*side) if trial.model is None else ModelSide(*side, trial.model, trial.judge)


def _joined(
    side: GoldenSide, of: Sequence[GoldenQuestion], further: GoldenSide, others: Sequence[GoldenQuestion]
) -> GoldenSide:
    """The figures of both: `stages` are means over the questions with pages."""
    with_pages = [sum(bool(each.pages) for each in some) for some in (of, others)]
    stages = {stage: (side.stages[stage], figures) for stage, figures in further.stages.items()}
    return replace(
        side,
        stages={
            stage: {name: _mean(name, means, with_pages) for name in means[0] | means[1]}
            for stage, means in stages.items()
        },
        degraded=side.degraded + further.degraded,
        marks=side.marks + further.marks,
    )


def _mean(name: str, means: Sequence[dict[str, float]], counts: Sequence[int]) -> float:
    return sum(each.get(name, 0) * count for each, count in zip(means, counts, strict=True)) / sum(counts)


def fingerprint(agent: Agent, golden: Sequence[GoldenQuestion], trials: Sequence[Trial]) -> str:
    """The fingerprint of everything that the result depends on."""
    questions = [
        (each.id, each.question, each.pages, each.language, each.answer_contains, each.answer_matches)
        for each in golden
    ]
    tried = tuple(
        trial.version if trial.model is None else (trial.version, trial.model, *({trial.judge} - {"words"}))
        for trial in trials
    )
    identity = (agent.draft, agent.live_version, agent.generation, questions, tried)
    return hashlib.sha256(repr(identity).encode("utf-8", "surrogatepass")).hexdigest()
