"""When a typed word is near another one."""

import pytest

from app.providers.indexes.keyword_analysis import is_near
from tests.every_row import every_row
from tests.linear_time import takes_linear_time


@every_row(
    ("word", "typed"),
    [
        pytest.param("refund", "refnd", id="a letter is missing"),
        pytest.param("refund", "reffund", id="one is too many"),
        pytest.param("refund", "rafund", id="one is wrong"),
        pytest.param("refund", "refudn", id="two are the wrong way round"),
        pytest.param("subscription", "subscirptoin", id="two edits of a long word"),
    ],
)
def test_a_word_with_a_slip_is_near(word: str, typed: str) -> None:
    assert is_near(word, typed, goes_on=False)


@every_row(
    ("word", "typed"),
    [
        pytest.param("cat", "cut", id="a short word is near too much"),
        pytest.param("refund", "raffnd", id="two edits of a short word"),
        pytest.param("subscription", "sbscirptoin", id="three of a long one"),
        pytest.param("refundable", "refnd", id="more follows"),
        pytest.param("ref", "refunds", id="it was never so long"),
    ],
)
def test_another_word_is_not(word: str, typed: str) -> None:
    assert not is_near(word, typed, goes_on=False)


def test_what_goes_on_is_near_a_word_that_begins_like_it() -> None:
    assert is_near("refundable", "refnd", goes_on=True)
    assert not is_near("refundable", "xefnd", goes_on=True)


def test_a_long_word_is_compared_with_its_beginning_alone() -> None:
    assert takes_linear_time(lambda text: is_near(text, "subscription", goes_on=True), "subscrip", 20_000)
