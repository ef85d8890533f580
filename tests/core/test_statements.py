"""Where the sentences of an answer end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text.sentences import statement_ends, undecided_from
from tests.every_row import every_row


def parts(text: str) -> list[str]:
    ends = [0, *statement_ends(text)]
    return [text[start:end].strip() for start, end in pairwise(ends)]


@every_row(
    ("text", "expected"),
    [
        pytest.param("One. Two! Three?\n", ["One.", "Two!", "Three?"], id="full stops"),
        pytest.param(
            "It is so [1][2]. And so. [3] End.\n", ["It is so [1][2].", "And so. [3]", "End."], id="citations"
        ),
        pytest.param("It costs 3.50 euros, e.g. here.\n", ["It costs 3.50 euros, e.g. here."], id="no ends"),
        pytest.param("- one\n- two\n", ["- one", "- two"], id="a line ends an item"),
        pytest.param("1. Press it.\n2. Wait.\n", ["1. Press it.", "2. Wait."], id="a number opens an item"),
        pytest.param("See [1]. 1. It is free [1].\n", ["See [1].", "1. It is free [1]."], id="a number in a line"),
        pytest.param("Это так. И это. \u0423ра!\n", ["Это так.", "И это.", "Ура!"], id="Cyrillic"),
        pytest.param("これは。それも！", ["これは。", "それも！"], id="no space after a full stop"),
        pytest.param("هل هذا صحيح؟ نعم.\n", ["هل هذا صحيح؟", "نعم."], id="Arabic"),
        pytest.param("यह है। वह भी।\n", ["यह है।", "वह भी।"], id="Hindi"),
        pytest.param('He said "go." Then left.\n', ['He said "go."', "Then left."], id="a quotation"),
    ],
)
def test_sentences_end_where_readers_see_it(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


@every_row("text", ["It is", "It is.", "It is. ", "It is 3.", "Yes [1]"])
def test_what_may_go_on_has_not_ended(text: str) -> None:
    assert statement_ends(text) == []


@given(st.lists(st.text('ab .1٣[]\n)*。"e', max_size=6), max_size=12))
def test_following_a_text_that_grows_finds_what_looking_at_all_of_it_finds(pieces: list[str]) -> None:
    text, decided = "", 0
    known: list[int] = []
    for piece in pieces:
        text += piece
        known = [end for end in known if end <= decided] + statement_ends(text, decided)
        assert known == statement_ends(text)
        decided = undecided_from(text)
