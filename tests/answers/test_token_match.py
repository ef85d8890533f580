"""Each word of a question looks for its nearest one in a passage."""

from array import array

import numpy as np
import pytest

from app.answers.writing.token_match import token_matches
from app.providers.embedding.embedder import TokenVectors
from tests.doubles.hashing_embedder import HashingEmbedder


async def read(*texts: str) -> list[TokenVectors]:
    return await HashingEmbedder().embed_tokens(texts)


async def test_all_words_met_is_one_and_none_met_is_nothing() -> None:
    question, same, other, nothing = await read("reset the hub", "To reset it, press the hub.", "Rain falls.", "")

    whole, none = token_matches(question, [(same, nothing), (other, nothing)])

    assert [whole.in_text, whole.anywhere] == pytest.approx([1, 1])
    assert (none.in_text, none.anywhere) == (0, 0)


async def test_what_the_headings_say_counts_as_met_but_not_in_the_text() -> None:
    question, text, headings = await read("reset hub", "Press it for ten seconds.", "Reset the hub")

    [match] = token_matches(question, [(text, headings)])

    assert match.in_text == 0
    assert match.anywhere == pytest.approx(1)


async def test_a_word_that_few_passages_hold_weighs_more() -> None:
    question, common, rare, nothing = await read("hub siren", "The hub.", "The hub has a siren.", "")
    passages = [(common, nothing)] * 3 + [(rare, nothing)]

    *_, met = token_matches(question, passages)
    shared = token_matches(question, passages)[0]

    assert met.in_text == pytest.approx(1)
    assert shared.in_text < 0.5, "it holds one of two words, and the one that they all hold"


async def test_a_question_without_a_word_is_near_to_nothing() -> None:
    question, text = await read("?!", "The hub.")

    assert [match.anywhere for match in token_matches(question, [(text, text)])] == [0.0]


async def test_passages_are_judged_together_as_each_would_be_alone() -> None:
    question, first, second, headings = await read("reset the hub", "Reset it twice.", "", "The hub")
    passages = [(first, headings), (second, headings), (headings, second)]

    anywhere = [match.anywhere for match in token_matches(question, passages)]

    assert anywhere[1] == anywhere[2] < anywhere[0]
    assert token_matches(question, []) == []


def test_directions_have_no_length() -> None:
    short, long, none = (
        TokenVectors.from_states(array("f", [1]), [1], np.array([[number, 0]], dtype=np.float32))
        for number in (0.01, 8, 0)
    )

    assert short.units.tolist() == long.units.tolist() == [[1.0, 0.0]]
    assert none.units.tolist() == [[0.0, 0.0]]
