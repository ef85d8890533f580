"""Questions that mean the same come together, looked at all at once."""

from datetime import UTC, datetime, timedelta
from itertools import combinations
from random import Random
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from app.gaps.gap_grouping import Move, Wording, grouped, moves

Near = dict[tuple[str, str], float]
NAMES = "abcdefgh"
# few distinct figures, so that many are equal
SOME_NEAR = st.dictionaries(
    st.sampled_from(list(combinations(NAMES, 2))), st.sampled_from([0.44, 0.5, 0.6, 0.7, 0.9]), max_size=28
)
OLD, NEW, LAST = UUID(int=1), UUID(int=2), UUID(int=3)
DAY = datetime(2026, 3, 1, tzinfo=UTC)


def wording(gap: UUID, key: str, askings: int = 1, *, settled: bool = False) -> Wording:
    return Wording(gap, key, key, "en", askings, DAY + timedelta(days=gap.int), settled)


def test_a_chain_is_no_group() -> None:
    assert grouped("abc", {("a", "b"): 0.9, ("b", "c"): 0.8}) == [("a", "b"), ("c",)]


def test_the_nearest_come_together_first() -> None:
    near = {("a", "b"): 0.6, ("b", "c"): 0.7, ("c", "d"): 0.6}
    assert grouped("abcd", near) == [("a",), ("b", "c"), ("d",)]


def test_two_groups_are_as_near_as_their_least_near_pair() -> None:
    near = {("a", "b"): 0.9, ("a", "c"): 0.8, ("b", "c"): 0.5, ("c", "d"): 0.6}
    assert grouped("abcd", near) == [("a", "b"), ("c", "d")]


@given(SOME_NEAR, st.integers(0, 99))
def test_order_does_not_matter(near: Near, seed: int) -> None:
    names, pairs = list(NAMES), [(pair, figure) for pair, figure in near.items()]
    Random(seed).shuffle(names)
    Random(seed).shuffle(pairs)
    turned = {(pair if seed % 2 else pair[::-1]): figure for pair, figure in pairs}
    assert grouped(names, turned) == grouped(NAMES, near)


@given(SOME_NEAR)
def test_every_name_is_in_one_group_and_every_pair_of_a_group_is_near(near: Near) -> None:
    groups = grouped(NAMES, near)
    assert sorted(name for group in groups for name in group) == list(NAMES)
    assert all(pair in near for group in groups for pair in combinations(group, 2))


@given(SOME_NEAR)
def test_no_two_groups_could_still_be_one(near: Near) -> None:
    for one, other in combinations(grouped(NAMES, near), 2):
        assert any((min(a, b), max(a, b)) not in near for a in one for b in other)


def test_nothing_moves_where_the_groups_are_the_gaps() -> None:
    assert moves([[wording(OLD, "a"), wording(OLD, "b")], [wording(NEW, "c")]]) == []


def test_a_group_keeps_the_gap_that_holds_most_of_its_askings() -> None:
    a, b, c = wording(OLD, "a", 2), wording(NEW, "b", 2), wording(NEW, "c", 1)
    assert moves([[a, b, c]]) == [Move(NEW, (a,))]


def test_of_equals_it_keeps_the_oldest() -> None:
    a, b = wording(NEW, "a"), wording(OLD, "b")
    assert moves([[a, b]]) == [Move(OLD, (a,))]


def test_a_settled_gap_takes_others_in_however_few_asked_it() -> None:
    settled, often = wording(NEW, "a", 0, settled=True), wording(OLD, "b", 40)
    assert moves([[often, settled]]) == [Move(NEW, (often,))]


def test_a_gap_that_comes_apart_is_kept_by_the_group_that_asks_it_most() -> None:
    a, b, c = wording(OLD, "a", 1), wording(OLD, "b", 3), wording(OLD, "c", 1)
    assert moves([[a, c], [b]]) == [Move(None, (a, c))]


def test_a_gap_that_loses_to_another_group_is_free_for_none() -> None:
    a, b, c = wording(OLD, "a", 5), wording(OLD, "b", 2), wording(NEW, "c", 1)
    assert moves([[a], [b, c]]) == [Move(NEW, (b,))]
