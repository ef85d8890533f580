"""How near two questions are: as wholes, and by what is left of them without the words that they share."""

import pytest

from app.gaps.question_nearness import (
    OTHER,
    SHIPPED,
    ComparedQuestion,
    QuestionNearness,
    SameMeaning,
    rests,
    same_meaning,
)
from app.kit.language_guesser import LanguageGuesser
from tests.doubles.hashing_embedder import HashingEmbedder

MALTA = ComparedQuestion("malta", "Is a lamp sent to Malta?")
TOO = ComparedQuestion("too", "To Malta, is a lamp sent?")
CYPRUS = ComparedQuestion("cyprus", "Is a lamp sent to Cyprus?")
CHESS = ComparedQuestion("chess", "Who won the chess championship?")
HALVES = SameMeaning(rest_weight=1.0, one_gap_from=0.0, looked_at_from=0.4)


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


def test_shared_words_are_taken_from_both() -> None:
    assert rests(["where", "does", "it", "begin"], ["where", "does", "it", "end", "now"]) == ("begin", "end now")
    assert rests(["it", "ends"], ["it", "ends", "it"]) == ("", "")


def test_another_model_than_the_shipped_one_is_trusted_with_nearly_the_same_wording_only() -> None:
    assert same_meaning("onnx-model.onnx-1") == SHIPPED
    assert same_meaning("text-embedding-3-small") == OTHER
    assert (OTHER.rest_weight, OTHER.one_gap_from) == (0.0, 0.9)


async def test_near_misses_are_told_by_what_is_left_of_them(embedder: HashingEmbedder) -> None:
    found = await QuestionNearness(embedder, LanguageGuesser()).pairs([MALTA, TOO, CYPRUS, CHESS], HALVES)
    assert found["malta", "too"] == pytest.approx(1.0)  # nothing is left: the wholes count
    assert found["malta", "cyprus"] == pytest.approx(5 / 6 / 2, abs=0.01)  # what is left has nothing in common
    assert not any("chess" in pair for pair in found)


async def test_pairs_under_the_threshold_are_no_pairs(embedder: HashingEmbedder) -> None:
    found = await QuestionNearness(embedder, LanguageGuesser()).pairs([MALTA, TOO, CYPRUS], SameMeaning(1.0, 0.5, 0.4))
    assert found.keys() == {("malta", "too")}


async def test_a_question_that_comes_later_costs_its_own_words_alone(embedder: HashingEmbedder) -> None:
    nearness = QuestionNearness(embedder, LanguageGuesser())
    await nearness.pairs([MALTA, TOO, CHESS], HALVES)
    embedder.embedded.clear()
    await nearness.pairs([MALTA, TOO, CHESS, CYPRUS], HALVES)
    assert sorted(embedder.embedded) == ["Is a lamp sent to Cyprus?", "cyprus", "malta"]


async def test_settled_ones_are_compared_with_the_others_alone(embedder: HashingEmbedder) -> None:
    [vector] = await embedder.embed([MALTA.question])
    settled = [ComparedQuestion(name, MALTA.question, is_settled=True, meaning=vector) for name in ("one", "other")]
    found = await QuestionNearness(embedder, LanguageGuesser()).pairs([*settled, TOO], HALVES)
    assert found.keys() == {("too", "one"), ("too", "other")}


async def test_of_nothing_there_are_no_pairs(embedder: HashingEmbedder) -> None:
    assert await QuestionNearness(embedder, LanguageGuesser()).pairs([], HALVES) == {}
