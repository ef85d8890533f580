"""A text has the slices of each part of each of its words, however it is spelled."""

import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.conversations.records.packed_words import SLICES, slices_of

WORDS = st.text(st.characters(exclude_categories=["Cs", "Z", "C"]), min_size=1, max_size=12)


@given(words=st.lists(WORDS, min_size=1, max_size=8), number=st.integers(0, 7), begin=st.integers(0, 5), data=st.data())
def test_a_text_has_the_slices_of_each_part_of_its_words(
    words: list[str], number: int, begin: int, data: st.DataObject
) -> None:
    word = words[number % len(words)]
    part = word[begin % len(word) :]
    spelled = data.draw(st.sampled_from((part, part.upper(), part.lower(), part.capitalize())))
    assert np.isin(slices_of(spelled), slices_of(" ".join(words))).all()


def test_every_character_has_the_slices_of_its_other_spellings() -> None:
    letters = [chr(point) for point in range(sys.maxunicode) if chr(point).isalpha()]
    others = [
        each
        for each in letters
        for spelled in (each.upper(), each.lower(), each.title())
        if spelled != each and not np.array_equal(slices_of(f"ab{spelled}yz"), slices_of(f"ab{each}yz"))
    ]
    assert others == []


def test_letters_of_two_words_are_no_part_of_either() -> None:
    assert np.array_equal(slices_of("abc def"), np.union1d(slices_of("abc"), slices_of("def")))


def test_one_or_two_characters_tell_texts_apart_only_in_scripts_without_spaces() -> None:
    assert (len(slices_of("no")), len(slices_of("税")), len(slices_of("保修"))) == (0, 1, 3)


def test_texts_have_few_of_all_slices() -> None:
    text = "You can return a station within thirty days of delivery, unopened and with its receipt. " * 8
    assert len(slices_of(text)) < SLICES / 8
