"""The value of each mechanism of search: the same questions with one setting changed at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from typing import Any, Final, Protocol

from app.agents.retrieval_settings import ConfidenceScale, FusionMethod, RerankMode, RetrievalSettings
from app.quality.evaluation.evaluation import StagedRanking, StagedSearch, ask_all, question_metrics, separations
from app.quality.evaluation.evaluation_set import EvaluationSet
from app.quality.evaluation.retrieval_metrics import bootstrap_interval

_TIMED: Final = 30  # questions
READ_BY: Final = ("pass@5", "pass@10", "hit@5", "mrr@10", "page_hit@5", "page_mrr@10")


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A change of the settings. `needs_model`: it needs a chat model."""

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    needs_model: bool = False


MECHANISMS: Final = (
    Mechanism("long questions whole", {"split_long_questions": False}),
    Mechanism("RRF, k 60", {"fusion": FusionMethod.RRF}),
    Mechanism("RRF, k 10", {"fusion": FusionMethod.RRF, "rrf_k": 10}),
    Mechanism("vectors at .5", {"vector_weight": 0.5}),
    Mechanism("vectors at 1", {"vector_weight": 1.0}),
    Mechanism("no document weight", {"document_weight": 0.0}),
    Mechanism("100 chunks from each list", {"recall_per_list": 100}),
    Mechanism("cross-encoder's vote", {"rerank": RerankMode.VOTE}),
    Mechanism("cross-encoder at .5", {"rerank": RerankMode.VOTE, "rerank_weight": 0.5}),
    Mechanism("cross-encoder alone", {"rerank": RerankMode.JUDGE}),
    Mechanism("cross-encoder on 36", {"rerank": RerankMode.VOTE, "rerank_candidates": 36}),
    Mechanism("foreign languages like English", {"foreign_weight": 1.0}),
    Mechanism("foreign languages at .25", {"foreign_weight": 0.25}),
    Mechanism("foreign languages at 0", {"foreign_weight": 0.0}),
    Mechanism("confidence by the cross-encoder", {"confidence_from": ConfidenceScale.RERANKER}),
    Mechanism("3 other wordings", {"extra_queries": 3}, needs_model=True),
    Mechanism("hypothetical answer", {"hypothetical_answer": True}, needs_model=True),
    Mechanism("the chat model searches on", {"model_searches": 2}, needs_model=True),
    Mechanism("chat model as ranker", {"rerank": RerankMode.MODEL}, needs_model=True),
)


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a mechanism compared with the current settings, over the same questions. `gains`: the mean paired
    difference of each metric of the final order, with its 95 % bootstrap interval; `auroc` by kind of unanswerable
    question; `milliseconds` per question, the cross-encoder's by the pairs that it read."""

    mechanism: Mechanism
    gains: dict[str, tuple[float, float, float]]
    auroc: dict[str, float]
    milliseconds: float


class ChangeableSearch(Protocol):
    """A search whose settings can be changed."""

    @property
    def settings(self) -> RetrievalSettings: ...

    @property
    def has_model(self) -> bool: ...

    def by(self, settings: RetrievalSettings) -> StagedSearch: ...


async def ablate(
    of: EvaluationSet,
    search: ChangeableSearch,
    mechanisms: Sequence[Mechanism] = MECHANISMS,
    on_mechanism: Callable[[str], None] | None = None,
) -> list[Effect]:
    """`on_mechanism` receives the name of each before its questions are asked. Raises what the search raises."""
    before = await ask_all(of, search.by(search.settings))
    effects = []
    for mechanism in mechanisms:
        if mechanism.needs_model and not search.has_model:
            continue
        if on_mechanism:
            on_mechanism(mechanism.name)
        changed = search.by(replace(search.settings, **mechanism.changes))
        after = await ask_all(of, changed)
        spent = await _milliseconds(of, search.by(search.settings), changed, _milliseconds_a_pair([*before, *after]))
        effects.append(_effect(of, mechanism, before, after, spent))
    return effects


async def _milliseconds(
    of: EvaluationSet, before: StagedSearch, after: StagedSearch, milliseconds_a_pair: float
) -> float:
    """The extra cost of a question: the median over some, each asked in both ways alternately, because other load on
    the machine varies. A cached pair counts as if it were scored again."""
    differences = []
    for question in of.questions[:_TIMED]:
        old, new = await before.search(question), await after.search(question)
        differences.append(_own(new) - _own(old) + (new.pairs - old.pairs) * milliseconds_a_pair)
    return median(differences)


def _own(ranking: StagedRanking) -> float:
    return sum(spent for stage, spent in ranking.milliseconds.items() if stage != "rerank")


def _effect(
    of: EvaluationSet,
    mechanism: Mechanism,
    before: Sequence[StagedRanking],
    after: Sequence[StagedRanking],
    milliseconds: float,
) -> Effect:
    old, new = question_metrics(of, before, "reranked"), question_metrics(of, after, "reranked")
    gains = {}
    for metric in READ_BY:
        differences = [b[metric] - a[metric] for a, b in zip(old, new, strict=True) if metric in a]
        if differences:
            gains[metric] = (fmean(differences), *bootstrap_interval(differences))
    was, now = separations(of.questions, before), separations(of.questions, after)
    return Effect(
        mechanism,
        gains,
        {kind: now[kind].auroc - was[kind].auroc for kind in was},
        milliseconds,
    )


def _milliseconds_a_pair(rankings: Sequence[StagedRanking]) -> float:
    pairs = sum(ranking.pairs for ranking in rankings)
    return sum(ranking.milliseconds.get("rerank", 0.0) for ranking in rankings) / pairs if pairs else 0.0
