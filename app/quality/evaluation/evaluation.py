"""Searches for every question of a set, and measures the quality of each stage."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Final, Protocol

from app.kit.tasks import few_at_once
from app.quality.evaluation.evaluation_set import EvaluationSet, Question
from app.quality.evaluation.retrieval_metrics import (
    Separation,
    bootstrap_interval,
    canonical,
    page_metrics,
    ranking_metrics,
    separation,
)
from app.quality.golden_question import Judge, WrittenAnswer

STAGES: Final = ("vector", "keyword", "fused", "reranked")
_AT_ONCE: Final = 2  # the models take one question at a time; meanwhile, a second one is read and counted

Metrics = dict[str, float]


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found. `chunk_id` is "" if the chunks are not the set's own."""

    document_id: str
    chunk_id: str = ""


@dataclass(frozen=True, slots=True)
class StagedRanking:
    """The search for one question: the hits of each of STAGES, best first, the `confidence` in [0, 1] that it can be
    answered, and whether the agent would decline. `was_degraded`: a part was unavailable, so the figures are not those
    of the whole pipeline. `milliseconds` are by part of the search; `pairs` counts what the cross-encoder read. If an
    answer was written, `written` is what it took, and `missing` the expected parts that it lacks, as judged by
    `judged_by`."""

    stages: Mapping[str, Sequence[Hit]]
    confidence: float
    is_low_confidence: bool
    was_degraded: bool = False
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    pairs: int = 0
    missing: tuple[str, ...] = ()
    written: WrittenAnswer | None = None
    judged_by: Judge = "words"


class StagedSearch(Protocol):
    async def search(self, question: Question) -> StagedRanking: ...


@dataclass(frozen=True, slots=True)
class Abstention:
    """How well confidence separates unanswerable questions in one language, by kind."""

    separations: dict[str, Separation]
    held_back: dict[str, float]


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """`stages` maps each stage to its metrics, `values` to the values per question of which they are means,
    `by_language` to the metrics of each language if there are several. `separations` and `held_back` (the share of
    questions that the agent would not answer) are by kind; `abstention` has both for each language, if there are
    several."""

    questions: int
    stages: dict[str, Metrics]
    values: dict[str, dict[str, list[float]]]
    by_language: dict[str, dict[str, Metrics]]
    separations: dict[str, Separation]
    held_back: dict[str, float]
    abstention: dict[str, Abstention]
    degraded: int

    def intervals(self, stage: str) -> dict[str, tuple[float, float]]:
        """The 95 % bootstrap interval of each metric. Takes a tenth of a second for 100 questions."""
        return {metric: bootstrap_interval(values) for metric, values in self.values[stage].items()}


@dataclass(slots=True)
class _Scores:
    """For one stage: metric by metric, one value per question."""

    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, row: Metrics) -> None:
        for metric, value in row.items():
            self.values[metric].append(value)

    def means(self) -> Metrics:
        return {metric: fmean(values) for metric, values in self.values.items()}


async def evaluate(
    questions_of: EvaluationSet,
    search: StagedSearch,
    on_progress: Callable[[int], None] | None = None,
    stages: Sequence[str] = STAGES,
) -> EvaluationReport:
    """`on_progress` receives the number of questions asked so far. Raises what `search` raises."""
    return report(questions_of, await ask_all(questions_of, search, on_progress), stages)


async def ask_all(
    questions_of: EvaluationSet, search: StagedSearch, on_progress: Callable[[int], None] | None = None
) -> list[StagedRanking]:
    """In the order of the set's questions."""
    return await few_at_once(questions_of.questions, search.search, _AT_ONCE, on_progress)


def report(of: EvaluationSet, rankings: Sequence[StagedRanking], stages: Sequence[str] = STAGES) -> EvaluationReport:
    """`rankings` are in the order of the set's questions; `stages` are those of STAGES to report on."""
    same = canonical((chunk.id, chunk.text) for chunk in of.chunks)
    whole: dict[str, _Scores] = {stage: _Scores() for stage in stages}
    languages: dict[str, dict[str, _Scores]] = defaultdict(lambda: {stage: _Scores() for stage in stages})
    for question, ranking in zip(of.questions, rankings, strict=True):
        for stage in stages:
            row = _question_metrics(question, ranking.stages.get(stage, ()), same)
            whole[stage].add(row)
            languages[question.language or ""][stage].add(row)
    return EvaluationReport(
        questions=len(of.questions),
        stages={stage: scores.means() for stage, scores in whole.items()},
        values={stage: scores.values for stage, scores in whole.items()},
        by_language={
            language: {stage: scores.means() for stage, scores in of_stage.items()}
            for language, of_stage in languages.items()
            if len(languages) > 1
        },
        separations=separations(of.questions, rankings),
        held_back=_held_back(of.questions, rankings),
        abstention=_abstention(of.questions, rankings),
        degraded=sum(ranking.was_degraded for ranking in rankings),
    )


def question_metrics(of: EvaluationSet, rankings: Sequence[StagedRanking], stage: str) -> list[Metrics]:
    """The metrics of one stage for each question, in order; {} for one that cannot be answered."""
    same = canonical((chunk.id, chunk.text) for chunk in of.chunks)
    return [
        _question_metrics(question, ranking.stages.get(stage, ()), same)
        for question, ranking in zip(of.questions, rankings, strict=True)
    ]


def _question_metrics(question: Question, hits: Sequence[Hit], same: Mapping[str, str]) -> Metrics:
    row: Metrics = {}
    if question.right_documents:
        row |= page_metrics([hit.document_id for hit in hits], question.right_documents)
    if question.right_chunks:
        ranked = _folded((hit.chunk_id for hit in hits), same)
        grades = {same.get(key, key): grade for key, grade in (question.grades or {}).items()}
        row |= ranking_metrics(ranked, list(dict.fromkeys(_folded(question.right_chunks, same))), grades)
    return row


def _folded(chunk_ids: Iterable[str], same: Mapping[str, str]) -> list[str]:
    return [same.get(key, key) for key in chunk_ids]


def separations(questions: Sequence[Question], rankings: Sequence[StagedRanking]) -> dict[str, Separation]:
    """How well confidence separates answerable questions from each other kind; {} if there is only one kind."""
    answerable: list[float] = []
    by_kind: dict[str, list[float]] = defaultdict(list)
    for question, ranking in zip(questions, rankings, strict=True):
        if question.is_answerable:
            answerable.append(ranking.confidence)
        else:
            by_kind[question.kind].append(ranking.confidence)
    if not answerable or not by_kind:
        return {}
    if len(by_kind) > 1:
        by_kind = {"all": [score for scores in by_kind.values() for score in scores], **by_kind}
    return {kind: separation(answerable, scores) for kind, scores in by_kind.items()}


def _abstention(questions: Sequence[Question], rankings: Sequence[StagedRanking]) -> dict[str, Abstention]:
    by_language: dict[str, list[tuple[Question, StagedRanking]]] = defaultdict(list)
    for question, ranking in zip(questions, rankings, strict=True):
        by_language[question.language or ""].append((question, ranking))
    if len(by_language) < 2:
        return {}
    found: dict[str, Abstention] = {}
    for language, pairs in by_language.items():
        own, ranked = [question for question, _ in pairs], [ranking for _, ranking in pairs]
        found[language] = Abstention(separations(own, ranked), _held_back(own, ranked))
    return found


def _held_back(questions: Sequence[Question], rankings: Sequence[StagedRanking]) -> dict[str, float]:
    by_kind: dict[str, list[float]] = defaultdict(list)
    for question, ranking in zip(questions, rankings, strict=True):
        kind = "answerable" if question.is_answerable else question.kind
        by_kind[kind].append(float(ranking.is_low_confidence))
    return {kind: fmean(flags) for kind, flags in by_kind.items()}
