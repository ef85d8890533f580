import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.quality.evaluation.retrieval_metrics import (
    auroc,
    best_f1,
    bootstrap_interval,
    canonical,
    gains_of,
    hit_at,
    ndcg,
    page_metrics,
    pass_at,
    ranking_metrics,
    reciprocal_rank,
    separation,
)

SCORES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=12)
RANKED = st.lists(st.sampled_from("abcdefgh"), max_size=8, unique=True)
RIGHT = st.sets(st.sampled_from("abcdefgh"), min_size=1, max_size=4)


def test_pass_is_the_share_of_the_golden_chunks_among_the_first_k() -> None:
    assert pass_at(["a", "b", "c"], ["c", "z"], 3) == 0.5
    assert pass_at(["a", "b", "c"], ["c", "z"], 2) == 0
    assert pass_at(["a"], ["a", "a"], 1) == 1


def test_hit_asks_for_one_of_them() -> None:
    assert hit_at(["a", "b"], ["b", "z"], 2) == 1
    assert hit_at(["a", "b"], ["b"], 1) == 0


def test_the_reciprocal_rank_ends_at_its_depth() -> None:
    assert reciprocal_rank(["a", "b"], ["b"]) == 0.5
    assert reciprocal_rank(["a"] * 10 + ["b"], ["b"]) == 0


def test_ndcg_discounts_by_the_logarithm_of_the_place() -> None:
    assert ndcg(["a", "b"], {"b": 1}) == pytest.approx(1 / math.log2(3))
    assert ndcg(["x", "b", "c"], {"b": 1, "c": 1}) == pytest.approx(
        (1 / math.log2(3) + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    )
    assert ndcg(["b", "b"], {"b": 1}) == 1


def test_grades_gain_two_to_their_power_less_one() -> None:
    assert gains_of([], {"x": 3, "y": 1, "z": 0}) == {"x": 7, "y": 1}
    assert ndcg(["y", "x"], gains_of([], {"x": 3, "y": 1})) == pytest.approx(
        (1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3))
    )


def test_a_page_stands_where_its_best_chunk_stands() -> None:
    row = page_metrics(["p", "p", "p", "p", "p", "q"], ["q"])

    assert (row["page_hit@1"], row["page_hit@5"], row["page_mrr@10"]) == (0, 1, 0.5)


def test_chunks_of_the_same_text_are_one() -> None:
    assert canonical([("a", "same"), ("b", " same\n"), ("c", "other")]) == {"a": "a", "b": "a", "c": "c"}


@given(RANKED, RIGHT)
def test_looking_further_down_never_loses_anything(ranked: list[str], right: set[str]) -> None:
    row = ranking_metrics(ranked, sorted(right))

    for name in ("pass", "hit"):
        values = [row[f"{name}@{k}"] for k in (1, 5, 10, 20)]
        assert values == sorted(values)
    assert all(0 <= value <= 1 + 1e-12 for value in row.values())
    assert row["pass@10"] <= row["hit@10"]
    assert row["mrr@10"] <= row["hit@10"]


@given(RIGHT)
def test_everything_right_in_front_is_perfect(right: set[str]) -> None:
    row = ranking_metrics([*sorted(right), "x", "y"], sorted(right))

    assert row["mrr@10"] == row["pass@10"] == 1
    assert row["ndcg@10"] == pytest.approx(1)


@given(SCORES, SCORES)
def test_auroc_is_the_chance_of_the_right_order(positive: list[float], negative: list[float]) -> None:
    won = [(p > n) + 0.5 * (p == n) for p, n in product(positive, negative)]

    assert auroc(positive, negative) == pytest.approx(sum(won) / len(won))
    assert auroc(positive, negative) == pytest.approx(1 - auroc(negative, positive))


@given(SCORES, SCORES)
def test_no_threshold_beats_the_best_f1(positive: list[float], negative: list[float]) -> None:
    def f1_from(threshold: float) -> float:
        found = sum(score >= threshold for score in positive)
        claimed = found + sum(score >= threshold for score in negative)
        return 2 * found / (claimed + len(positive))

    best, threshold = best_f1(positive, negative)

    assert best == pytest.approx(f1_from(threshold))
    assert best == pytest.approx(max(f1_from(score) for score in positive + negative))


def test_separation_says_both_sides() -> None:
    clean = separation([0.9, 0.8], [0.7, 0.1])
    assert (clean.auroc, clean.best_f1, clean.threshold, clean.gap_f1) == (1, 1, 0.8, 1)

    tied = separation([0.5], [0.5])
    assert (tied.auroc, tied.threshold) == (0.5, 0.5)
    assert tied.best_f1 == pytest.approx(2 / 3)


def test_the_interval_holds_the_mean_and_is_the_same_each_time() -> None:
    values = [0.0] * 20 + [1.0] * 80

    low, high = bootstrap_interval(values)

    assert 0.68 < low < 0.8 < high < 0.92
    assert (low, high) == bootstrap_interval(values)
    assert bootstrap_interval([1.0, 1.0]) == (1, 1)
