"""How likely it is that a quoted passage answers, by how far it is ahead of others and what its reading goes past."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.agents.agent import AgentConfig
from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.passage_judge import JudgedPassage, PassageJudge
from app.answers.writing.passage_odds import QuoteSignals, ignored_share
from app.answers.writing.passage_readings import PassageReadings
from app.answers.writing.passages import passages
from app.answers.writing.quote_confidence import QuoteConfidence
from app.core.errors import RerankerUnavailable
from app.providers.reranking.reranker import PairScore
from tests.answers.extractive_answers import source
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.every_row import every_row

LIBRARIES = source(1, "You can order books from other libraries for two euros each.")


class WordReader:
    """Each of its words in the question adds 1 to the logit. After `away_after` questions, it raises."""

    reads: frozenset[str] | None = None

    def __init__(self, *words: str, away_after: int = 99) -> None:
        self.asked: list[str] = []
        self._words = words
        self._away_after = away_after

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        if len(self.asked) == self._away_after:
            raise RerankerUnavailable("It was told to be away.")
        self.asked.append(question)
        return [PairScore(float(sum(word in question.split() for word in self._words)), 0.5)] * len(texts)


class Quoted:
    """The passages of a context's sources, judged, with what is known of the best one."""

    def __init__(self, context: AnswerContext, reader: WordReader | None) -> None:
        readings = PassageReadings(HashingEmbedder(), MemoryKeywordIndex(), reranker=reader)
        self._context = context
        self._judge = PassageJudge(readings)
        self._confidence = QuoteConfidence(readings)

    async def judged(self) -> list[JudgedPassage]:
        return await self._judge.judged(
            self._context, [passage for each in self._context.sources for passage in passages(each)]
        )

    async def confidence(self) -> float:
        return await self._confidence.probability(self._context, await self.judged())

    async def signals(self) -> QuoteSignals:
        signals = await self._confidence.signals(self._context, await self.judged())
        assert signals is not None
        return signals


def quoted(question: str, reader: WordReader | None, *sources: Source, bare: str = "") -> Quoted:
    return Quoted(
        AnswerContext(
            AgentConfig(name="x"), bare or question, question, sources or (LIBRARIES,), language="en", bare=bare
        ),
        reader,
    )


async def confidence(question: str, reader: WordReader) -> float:
    return await quoted(question, reader).confidence()


async def test_a_word_that_the_passage_lacks_and_the_reader_goes_past_makes_an_answer_less_sure() -> None:
    question = "Can I order books from libraries abroad?"
    ignoring, heeding = WordReader("order"), WordReader("order", "abroad?")
    assert await confidence(question, ignoring) < await confidence(question, heeding)
    assert ignoring.asked == [question, "Can I order books from libraries ?"]


async def test_an_answer_is_less_sure_where_other_passages_are_as_near() -> None:
    question = "Can I order books from libraries?"
    alone, among_others = [
        await quoted(question, WordReader("order"), LIBRARIES, source(2, other)).confidence()
        for other in ("The museum has a garden with roses.", "Books from libraries: you can order three.")
    ]
    assert alone > among_others


@pytest.mark.parametrize("question", ["12345", "!!!!", "\U0001f621\U0001f621"])
async def test_what_has_no_letter_is_answered_only_by_a_passage_that_has_it(question: str) -> None:
    assert await confidence(question, WordReader(question)) <= LIBRARIES.calibrated
    parts = source(1, f"Part {question} fits every lamp.")
    has_it = await quoted(question, WordReader(question), parts).confidence()
    assert (has_it > parts.calibrated) is question.isdigit()


async def test_words_that_the_passage_has_are_not_asked_about_again() -> None:
    reader = WordReader("order")
    await confidence("Can I order books from libraries?", reader)
    assert reader.asked == ["Can I order books from libraries?"]


async def test_the_words_of_a_gloss_are_not_asked_about_again() -> None:
    question, reader = "Can I order books from libraries abroad?", WordReader("order")
    context = AnswerContext(
        AgentConfig(name="x"), "?", "?", (LIBRARIES,), language="de", read_as=question, read_in="en"
    )
    await Quoted(context, reader).confidence()
    assert reader.asked == [question]


async def test_at_most_two_words_are_left_out() -> None:
    reader = WordReader("order")
    await confidence("Can tall giraffes order purple bicycles abroad?", reader)
    assert len(reader.asked) == 3


async def test_without_a_reranker_the_judge_alone_tells() -> None:
    unread = quoted("Can I order books from libraries abroad?", None)
    assert await unread.confidence() == (await unread.judged())[0].probability


async def test_a_reranker_that_goes_away_in_between_takes_nothing_for_ignored() -> None:
    question = "Can I order books from libraries abroad?"
    assert (await quoted(question, WordReader("order", away_after=1)).signals()).ignored == 0


async def test_a_follow_up_is_as_unsure_as_what_its_reading_ignores_makes_it() -> None:
    earlier = "Can I order books from libraries?"
    likely = []
    for bare in ("And from libraries?", "And from bicycles abroad?"):
        follow_up = quoted(f"{earlier} {bare}", WordReader("order"), bare=bare)
        likely.append((await follow_up.confidence(), (await follow_up.signals()).ignored))
        assert likely[-1][0] <= (await follow_up.judged())[0].probability
    (known, nothing), (other, ignored) = likely
    assert nothing < ignored
    assert known > other


async def test_how_far_ahead_a_passage_is_makes_a_follow_up_no_surer_than_it_is_near() -> None:
    sources = (source(1, "Lamps cost 9 euros."), source(2, "The museum has a garden with roses."))
    ahead = []
    for question, bare in (
        ("Where are roses and what does it cost?", "what does it cost?"),
        ("What do lamps cost?", ""),
    ):
        asked = quoted(question, WordReader("order"), *sources, bare=bare)
        ahead.append((await asked.signals()).ahead - (await asked.judged())[0].odds)
    follow_up, alone = ahead
    assert follow_up <= 1.5 < alone


@every_row("signal", ["ahead", "names", "logit", "search"])
def test_each_signal_makes_an_answer_surer(signal: str) -> None:
    signals = QuoteSignals(0.0, 0.0, 0.0, 0.5, 0.0)
    assert replace(signals, **{signal: 1.0}).odds > signals.odds > replace(signals, ignored=1.0).odds


@every_row(
    ("gain", "share"), [(0.0, 0.5), (0.7, 0.0), (2.0, 0.0), (-0.7, 1.0)], ids=["none", "usual", "large", "a loss"]
)
def test_a_word_is_ignored_as_far_as_the_logit_does_without_it(gain: float, share: float) -> None:
    assert ignored_share([0.5], [gain]) == pytest.approx(share)
