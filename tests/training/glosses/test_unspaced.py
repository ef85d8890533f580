"""Words of a script without spaces, by the English that goes with them."""

import pytest

from training.glosses.unspaced import Pair, entries, words_in


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("返品の送料", {"返", "品", "返品", "送", "料", "送料"}),
        ("プランを見る", {"プラン", "見"}),
        ("Plus", set()),
    ],
)
def test_rows_of_characters_may_be_words(text: str, words: set[str]) -> None:
    assert set(words_in(text)) == words


def pair(words: str, english: str) -> Pair:
    return Pair(frozenset(words.split()), frozenset(english.split()))


def test_the_english_that_goes_with_a_word_and_with_few_others_is_its_entry() -> None:
    found = (
        [pair("返品 送料", "return cost")] * 4 + [pair("返品", "return goods")] * 4 + [pair("送料", "cost goods")] * 4
    )
    assert entries(found) == {"返品": "return", "送料": "cost"}


def test_a_word_whose_part_says_the_same_is_no_entry() -> None:
    assert entries([pair("返品 返品書", "return")] * 5) == {"返品": "return"}


def test_a_word_that_is_seldom_seen_is_no_entry() -> None:
    assert entries([pair("返品", "return")] * 3) == {}
