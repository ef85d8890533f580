import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.rank_fusion import (
    best_first,
    best_of_group,
    reciprocal_rank_fusion,
    score_fusion,
    unit_interval,
    with_vote,
    z_scores,
)

scores = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.floats(-100, 100), min_size=1, max_size=20)


def test_rrf_is_the_sum_of_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion([(["a", "b"], 1.0), (["b"], 2.0)], k=60)
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 2 / 61})


def test_a_chunk_that_both_lists_like_beats_one_that_leads_a_single_list() -> None:
    fused = reciprocal_rank_fusion([(["only-vector", "both"], 1.0), (["only-keyword", "both"], 1.0)])
    assert best_first(fused)[0] == "both"


def test_score_fusion_adds_weighted_z_scores() -> None:
    fused = score_fusion([({"a": 1.0, "b": 0.0}, 1.0), ({"a": 0.0, "b": 10.0}, 0.5)])
    assert fused == pytest.approx({"a": 0.5, "b": -0.5})


def test_the_best_of_a_group_counts_for_all_of_it() -> None:
    scores = {"a1": 1.0, "a2": 5.0, "b1": -2.0}
    assert best_of_group(scores, {"a1": "a", "a2": "a", "b1": "b"}) == {"a1": 5.0, "a2": 5.0, "b1": -2.0}


def test_a_list_that_does_not_tell_its_chunks_apart_says_nothing() -> None:
    assert z_scores({"a": 3.0, "b": 3.0}) == {"a": 0.0, "b": 0.0}


@given(scores)
def test_the_unit_interval_keeps_the_order(values: dict[str, float]) -> None:
    unit = unit_interval(values)
    assert all(0.0 <= score <= 1.0 for score in unit.values())
    ordered = best_first(values)
    assert all(unit[a] >= unit[b] for a, b in itertools.pairwise(ordered))


@given(scores, st.floats(0, 3), st.integers(1, 10), st.data())
def test_chunks_that_the_voter_has_not_read_never_pass_those_it_has(
    values: dict[str, float], weight: float, count: int, data: st.DataObject
) -> None:
    read = best_first(values)[:count]
    votes = {key: data.draw(st.floats(-20, 20)) for key in read}
    fused = with_vote(values, votes, weight)
    assert fused.keys() == values.keys()
    lowest_read = min(fused[key] for key in read)
    unread = [key for key in best_first(values) if key not in votes]
    assert all(fused[key] <= lowest_read + 1e-6 for key in unread)
    assert all(fused[a] >= fused[b] for a, b in itertools.pairwise(unread))


def test_a_strong_vote_turns_the_order() -> None:
    fused = with_vote({"a": 1.0, "b": 0.9, "c": 0.1}, {"a": -5.0, "b": 5.0}, weight=0.5)
    assert best_first(fused) == ["b", "a", "c"]
