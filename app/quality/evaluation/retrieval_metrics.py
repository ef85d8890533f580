"""Metrics of rankings and confidences on questions whose answers are known.

Pass@k, hit@k, MRR@10 and nDCG@10 take a ranking (ids, best first) and the right ids. AUROC and F1 take the confidences
of questions that can be answered and of questions that cannot.
"""

import math
import random
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

Id = TypeVar("Id", bound=Hashable)

CUTS = (1, 5, 10, 20)
_DEPTH = 10  # of MRR and nDCG
_RESAMPLES = 1000


def pass_at(ranked: Sequence[str], right: Iterable[str], k: int) -> float:
    """The share of right ids among the first k (Anthropic 2024, "contextual retrieval"); also called Recall@k."""
    wanted = set(right)
    return len(wanted & set(ranked[:k])) / len(wanted)


def hit_at(ranked: Sequence[str], right: Iterable[str], k: int) -> float:
    """1 if a right id is among the first k, else 0."""
    return float(not set(right).isdisjoint(ranked[:k]))


def reciprocal_rank(ranked: Sequence[str], right: Iterable[str]) -> float:
    """1 / the place of the first right id, 0 if it is below _DEPTH."""
    wanted = set(right)
    return next((1.0 / place for place, key in enumerate(ranked[:_DEPTH], start=1) if key in wanted), 0.0)


def ndcg(ranked: Sequence[str], gains: Mapping[str, float]) -> float:
    """Discounted gain over the best possible one (Jarvelin and Kekalainen 2002); each id gains once."""
    gained = sum(
        gains.get(key, 0.0) / math.log2(place + 1)
        for place, key in enumerate(ranked[:_DEPTH], start=1)
        if key not in ranked[: place - 1]
    )
    best = sorted(gains.values(), reverse=True)[:_DEPTH]
    return gained / sum(gain / math.log2(place + 1) for place, gain in enumerate(best, start=1))


def gains_of(right: Iterable[str], grades: Mapping[str, int] | None = None) -> dict[str, float]:
    """The gain of each id: 2^grade - 1 if there are grades, else 1."""
    if grades:
        return {key: 2.0**grade - 1 for key, grade in grades.items() if grade > 0}
    return dict.fromkeys(right, 1.0)


def ranking_metrics(
    ranked: Sequence[str], right: Sequence[str], grades: Mapping[str, int] | None = None
) -> dict[str, float]:
    """For one question with at least one right chunk: pass@k, hit@k, mrr@10, ndcg@10. Ids are canonical: chunks with
    the same text share one."""
    row = {f"pass@{k}": pass_at(ranked, right, k) for k in CUTS}
    row |= {f"hit@{k}": hit_at(ranked, right, k) for k in CUTS}
    return row | {"mrr@10": reciprocal_rank(ranked, right), "ndcg@10": ndcg(ranked, gains_of(right, grades))}


def page_metrics(pages: Sequence[str], right: Sequence[str]) -> dict[str, float]:
    """The same for pages. `pages` may repeat: a page has the place of its best chunk."""
    ranked = list(dict.fromkeys(pages))
    row = {f"page_hit@{k}": hit_at(ranked, right, k) for k in CUTS}
    return row | {"page_mrr@10": reciprocal_rank(ranked, right), "page_ndcg@10": ndcg(ranked, gains_of(right))}


def canonical(texts: Iterable[tuple[Id, str]]) -> dict[Id, Id]:
    """For each id, the first one with the same text apart from surrounding whitespace."""
    first: dict[str, Id] = {}
    return {key: first.setdefault(text.strip(), key) for key, text in texts}


@dataclass(frozen=True, slots=True)
class Separation:
    """How well a confidence separates questions that can be answered from those that cannot. `best_f1` is for the class
    "answerable", claimed from `threshold` on; `gap_f1` is the best one for the class "gap", claimed below its own
    threshold."""

    auroc: float
    best_f1: float
    threshold: float
    gap_f1: float


def separation(answerable: Sequence[float], unanswerable: Sequence[float]) -> Separation:
    """Both must have at least one confidence."""
    f1, threshold = best_f1(answerable, unanswerable)
    gap_f1, _ = best_f1([-score for score in unanswerable], [-score for score in answerable])
    return Separation(auroc(answerable, unanswerable), f1, threshold, gap_f1)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """How often a positive scores above a negative, ties counting half (Mann and Whitney 1947)."""
    scored = sorted([(score, True) for score in positive] + [(score, False) for score in negative])
    rank_sum, start = 0.0, 0
    while start < len(scored):
        end = start
        while end < len(scored) and scored[end][0] == scored[start][0]:
            end += 1
        shared_rank = (start + 1 + end) / 2
        rank_sum += shared_rank * sum(is_positive for _, is_positive in scored[start:end])
        start = end
    count = len(positive)
    return (rank_sum - count * (count + 1) / 2) / (count * len(negative))


def best_f1(positive: Sequence[float], negative: Sequence[float]) -> tuple[float, float]:
    """The best F1 of claiming "positive" from some score on, and the highest such score."""
    scored = sorted([(score, True) for score in positive] + [(score, False) for score in negative], reverse=True)
    best, at, found = -1.0, math.nan, 0
    for claimed, (score, is_positive) in enumerate(scored, start=1):
        found += is_positive
        if claimed < len(scored) and scored[claimed][0] == score:
            continue  # a threshold cannot split a tie
        f1 = 2 * found / (claimed + len(positive))
        if f1 > best:
            best, at = f1, score
    return best, at


def bootstrap_interval(values: Sequence[float]) -> tuple[float, float]:
    """The range of 95 % of means when the values are resampled with replacement (Efron 1979)."""
    drawn = random.Random(0)  # noqa: S311 - statistics
    means = sorted(fmean(drawn.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return means[int(_RESAMPLES * 0.025)], means[int(_RESAMPLES * 0.975) - 1]
