"""A table that one test walks says of each wrong row what a case would."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.every_row import every_row


class WrittenDown:
    """In the place of `pytest.Subtests`, which would fail this test as well."""

    def __init__(self) -> None:
        self.failed: list[tuple[str, str]] = []

    @contextmanager
    def test(self, msg: str) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            self.failed.append((msg, type(error).__name__))


def is_small(number: int) -> None:
    assert number < 2


def test_each_row_that_fails_is_named_and_none_that_holds() -> None:
    found = WrittenDown()
    every_row("number", [0, 2, 1, pytest.param(3, id="three")])(is_small)(subtests=found)
    assert found.failed == [("2", "AssertionError"), ("three", "AssertionError")]


async def test_so_does_an_async_test_and_what_should_have_raised() -> None:
    async def is_refused(text: str, kind: type[Exception], house: str) -> None:
        assert house == "one for all rows"
        with pytest.raises(kind):
            int(text)

    found = WrittenDown()
    rows = [("x", ValueError), ("1", ValueError), ("y", KeyError)]
    walked = every_row("text, kind", rows, ids=["a word", "a number", "another error"])(is_refused)
    await walked(house="one for all rows", subtests=found)
    assert found.failed == [("a number", "Failed"), ("another error", "ValueError")]


def test_stacked_tables_meet_in_every_row_and_its_label_names_both() -> None:
    found = WrittenDown()

    def is_sum(number: int, letter: str) -> None:
        assert number == len(letter)

    every_row("number", [1, 2])(every_row("letter", ["a", "bb"], ids=str.upper)(is_sum))(subtests=found)
    assert [label for label, _ in found.failed] == ["1-BB", "2-A"]


@pytest.mark.parametrize("rows", [[], [pytest.param(1, marks=pytest.mark.skip)]], ids=["no row", "a marked row"])
def test_a_table_that_shows_nothing_is_refused(rows: list[Any]) -> None:
    with pytest.raises(AssertionError):
        every_row("number", rows)
