"""One page among the best candidates, again and again, is what the question is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.page_focus import FOCUS_CHUNKS, page_focus


@given(st.lists(st.integers(0, 30), max_size=100))
def test_it_is_a_share_of_each_page(pages: list[int]) -> None:
    focus = page_focus(pages)
    assert focus.keys() == (set(pages) if len(set(pages)) > 1 else set())
    assert all(0 <= share <= 1 for share in focus.values())


def test_all_of_the_first_on_one_page_is_the_most() -> None:
    focus = page_focus(["a"] * FOCUS_CHUNKS + ["b", "c"])
    assert focus == {"a": 1, "b": 0, "c": 0}


def test_an_even_spread_is_none() -> None:
    assert page_focus(["a", "b", "c"]) == pytest.approx({"a": 0, "b": 0, "c": 0})


def test_an_agent_of_one_page_agrees_with_nobody() -> None:
    assert page_focus(["a", "a", "a"]) == {}


def test_what_comes_later_does_not_count() -> None:
    first = ["a"] * 5 + ["b"] * 5
    assert page_focus(first + ["c"] * 50) == page_focus([*first, "c"])
