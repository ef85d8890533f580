import pytest

from app.knowledge.ingest import PageWording
from tests.every_row import every_row

WORDS = [f"word{number}" for number in range(240)]


def passages(words: list[str], size: int = 60) -> list[str]:
    return [" ".join(words[start : start + size]) for start in range(0, len(words), size)]


PAGE = passages(WORDS)


def is_near_duplicate(texts: list[str], others: list[str]) -> bool:
    return PageWording.from_texts(texts).is_near(PageWording.from_texts(others))


def changed(*positions: int) -> list[str]:
    return passages([f"other{n}" if n in positions else word for n, word in enumerate(WORDS)])


@every_row(
    ("other", "is_same"),
    [
        pytest.param(PAGE, True, id="the same"),
        pytest.param(changed(3), True, id="one word changed"),
        pytest.param([*PAGE, "viewed 124 times"], True, id="a counter added"),
        pytest.param(passages(WORDS, 80), True, id="cut elsewhere"),
        pytest.param(changed(*range(0, 240, 20)), False, id="a word changed in every line"),
        pytest.param(PAGE[:3], False, id="a quarter is missing"),
        pytest.param(changed(*range(240)), False, id="about something else"),
    ],
)
def test_pages_that_differ_in_a_word_or_two_are_near_duplicates(other: list[str], is_same: bool) -> None:
    assert is_near_duplicate(PAGE, other) is is_same
    assert is_near_duplicate(other, PAGE) is is_same


def test_short_pages_are_told_apart_by_any_word() -> None:
    assert not is_near_duplicate(PAGE[:1], PAGE[:1])
    assert not is_near_duplicate([], [])
