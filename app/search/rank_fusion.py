"""Several rankings become one. Pure arithmetic over ids; higher is better throughout."""

from collections.abc import Hashable, Mapping, Sequence
from math import fsum, sqrt


def z_scores(values: Mapping[str, float]) -> dict[str, float]:
    """Each value as standard deviations from the mean; all 0 when the values do not differ."""
    if not values:
        return {}
    # `statistics` would sum fractions, which takes ten times as long.
    mean = fsum(values.values()) / len(values)
    spread = sqrt(fsum((value - mean) ** 2 for value in values.values()) / len(values))
    if spread < 1e-12:
        return dict.fromkeys(values, 0.0)
    return {key: (value - mean) / spread for key, value in values.items()}


def score_fusion(lists: Sequence[tuple[Mapping[str, float], float]]) -> dict[str, float]:
    """The weighted sum of each list's z-scores. Every list must score every candidate; its weight is >= 0."""
    fused: dict[str, float] = {}
    for scores, weight in lists:
        for key, z in z_scores(scores).items():
            fused[key] = fused.get(key, 0.0) + weight * z
    return fused


def best_of_group(scores: Mapping[str, float], group_of: Mapping[str, Hashable]) -> dict[str, float]:
    """For each id the best score in its group."""
    best: dict[Hashable, float] = {}
    for key, score in scores.items():
        group = group_of[key]
        best[group] = max(best.get(group, score), score)
    return {key: best[group_of[key]] for key in scores}


def reciprocal_rank_fusion(lists: Sequence[tuple[Sequence[str], float]], k: int = 60) -> dict[str, float]:
    """The sum over lists of weight / (k + rank), ranks from 1 (Cormack, Clarke and Buettcher 2009, k = 60).
    An id that a list lacks gets nothing from it."""
    fused: dict[str, float] = {}
    for ranked, weight in lists:
        for rank, key in enumerate(ranked, start=1):
            fused[key] = fused.get(key, 0.0) + weight / (k + rank)
    return fused


def with_vote(fused: Mapping[str, float], votes: Mapping[str, float], weight: float) -> dict[str, float]:
    """`fused` after a voter has seen its best candidates: those get `weight` x z(vote) added; the rest, unseen,
    keep their order and their distances below the lowest of them."""
    if not votes:
        return dict(fused)
    z = z_scores(votes)
    seen = {key: fused[key] + weight * z[key] for key in votes}
    drop = min(fused[key] for key in votes) - min(seen.values())
    rest = {key: score - max(drop, 0.0) for key, score in fused.items() if key not in seen}
    ceiling = min(seen.values())
    return seen | {key: min(score, ceiling) for key, score in rest.items()}


def unit_interval(scores: Mapping[str, float]) -> dict[str, float]:
    """The same order on [0, 1], best 1 and worst 0, so that a boost of 0.15 means the same for every method."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high - low < 1e-12:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


def best_first(scores: Mapping[str, float]) -> list[str]:
    """Ids by score, ties by id, so that the same input always gives the same order."""
    return sorted(scores, key=lambda key: (-scores[key], key))
