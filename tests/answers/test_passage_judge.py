"""How well a passage answers a question."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import pytest

from app.agents.agent import AgentConfig
from app.agents.retrieval_settings import RetrievalSettings
from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.passage_judge import PassageJudge
from app.answers.writing.passage_readings import PassageReadings
from app.answers.writing.passages import passages
from app.core.errors import RerankerUnavailable
from app.providers.reranking.reranker import PairScore
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.every_row import every_row


def source(number: int, text: str) -> Source:
    return Source(number, f"https://x.example/{number}", "Page", text, chunk_id=f"c{number}", order=1.0)


async def test_where_words_decide_the_source_that_alone_holds_them_is_surer() -> None:
    async def confidence(*texts: str) -> float:
        embedder = HashingEmbedder()
        embedder.is_down = True
        sources = tuple(source(number, text) for number, text in enumerate(texts, 1))
        judge = PassageJudge(PassageReadings(embedder, MemoryKeywordIndex()))
        asked = "Where is the hidden lamp switch?"
        [best, *_] = await judge.judged(
            AnswerContext(AgentConfig(name="x"), asked, asked, sources),
            [passage for each in sources for passage in passages(each)],
        )
        return best.probability

    answer = "The hidden lamp switch is under the base."
    alone, shared = (
        await confidence(answer, "Boxes are made of paper."),
        await confidence(answer, f"Once more: {answer}"),
    )
    assert alone > shared


async def test_the_best_of_each_source_is_read_however_much_another_source_has() -> None:
    judge = PassageJudge(PassageReadings(HashingEmbedder(), MemoryKeywordIndex()))
    long = "\n\n".join(f"## Lamp {number}\n\nThe settings of lamp {number} are its own." for number in range(40))
    other = replace(source(2, "Choices are not kept where nobody may write."), order=0.5)
    asked = "Where are the settings of the lamp?"
    read = await judge.judged(
        AnswerContext(AgentConfig(name="x"), asked, asked, (source(1, long), other)),
        [*passages(source(1, long)), *passages(other)],
    )
    assert [one.passage.source.number for one in read].count(2) == 1
    assert len(read) == 20


async def test_what_tells_the_number_is_preferred_to_what_says_the_word_for_it() -> None:
    embedder = HashingEmbedder()
    embedder.is_down = True
    judge = PassageJudge(PassageReadings(embedder, MemoryKeywordIndex()))
    sources = (
        source(1, "We repair your bicycle. Ask for a day by telefono."),
        source(2, "Calle Mayor 8, Conil\n\n956 555 019"),
    )
    best, other = await judge.judged(
        AnswerContext(AgentConfig(name="x"), "telefono", "telefono", sources),
        [passage for each in sources for passage in passages(each)],
    )
    assert best.passage.source.number == 2
    assert best.probability > 0.9 > 0.5 > other.probability


async def test_a_page_in_the_language_of_the_question_is_preferred_to_its_translation() -> None:
    embedder = HashingEmbedder(reads=frozenset({"de", "en"}))
    judge = PassageJudge(PassageReadings(embedder, MemoryKeywordIndex()))
    sources = tuple(
        replace(source(number, "Hotel Sonne, Lift, WLAN."), language=language)
        for number, language in enumerate(("en", "de"), 1)
    )
    asked = AnswerContext(AgentConfig(name="x"), "Hotel WLAN?", "Hotel WLAN?", sources, language="de")
    best, other = await judge.judged(asked, [passage for each in sources for passage in passages(each)])
    assert best.passage.source.language == "de"
    assert best.odds == other.odds + 1


async def test_a_site_in_one_language_alone_loses_nothing_in_another() -> None:
    embedder = HashingEmbedder()
    english = replace(source(1, "Hotel Sonne, Lift, WLAN."), language="en")
    odds = []
    for asked_in in ("en", "de"):
        context = AnswerContext(AgentConfig(name="x"), "Hotel WLAN?", "Hotel WLAN?", (english,), language=asked_in)
        [judged] = await PassageJudge(PassageReadings(embedder, MemoryKeywordIndex())).judged(
            context, passages(english)
        )
        odds.append(judged.odds)
    assert odds[0] == odds[1]


async def test_what_is_read_word_for_word_is_less_sure() -> None:
    asked = "Hotel WLAN?"
    [text] = [replace(source(1, "Hotel Sonne, Lift, WLAN."), language="de")]
    odds = []
    for knows in (frozenset({"de"}), frozenset({"en"})):
        embedder = HashingEmbedder(reads=frozenset({"de", "en"}), knows=knows)
        context = AnswerContext(AgentConfig(name="x"), asked, asked, (text,), language="de")
        [judged] = await PassageJudge(PassageReadings(embedder, MemoryKeywordIndex())).judged(context, passages(text))
        odds.append(judged.odds)
    assert odds[0] == odds[1] + 0.5


async def test_where_each_token_has_a_vector_the_passage_that_meets_more_of_them_wins() -> None:
    embedder = HashingEmbedder()
    judge = PassageJudge(PassageReadings(embedder, MemoryKeywordIndex(), embedder))
    asked = "Does the siren of the hub stop at night?"
    sources = (
        source(1, "The siren of the hub stops with a press."),
        source(2, "From ten o'clock the siren and the hub are silent at night."),
    )

    best, other = await judge.judged(
        AnswerContext(AgentConfig(name="x"), asked, asked, sources),
        [passage for each in sources for passage in passages(each)],
    )

    assert best.passage.source.number == 2
    assert best.odds > other.odds


async def test_what_was_read_token_by_token_is_not_embedded_again() -> None:
    embedder = HashingEmbedder()
    readings = PassageReadings(embedder, MemoryKeywordIndex(), embedder)
    asked = "Where is the lamp?"
    one = source(1, "The lamp is under the base.")
    context = AnswerContext(AgentConfig(name="x"), asked, asked, (one,))
    [judged] = await PassageJudge(readings).judged(context, passages(one))
    read_before = len(embedder.embedded)

    cosines = await readings.cosines(context, one, [judged.passage.text, "A roof."])

    assert embedder.embedded[read_before:] == ["A roof."]
    assert cosines is not None
    assert cosines[0] > cosines[1]


async def test_an_embedder_of_tokens_that_is_away_leaves_words_to_decide() -> None:
    embedder = HashingEmbedder()
    judge = PassageJudge(PassageReadings(embedder, MemoryKeywordIndex(), embedder))
    asked = "Where is the hidden lamp switch?"
    one = source(1, "The hidden lamp switch is under the base.")
    context = AnswerContext(AgentConfig(name="x"), asked, asked, (one,))
    embedder.is_down = True

    [away] = await judge.judged(context, passages(one))
    [words] = await PassageJudge(PassageReadings(embedder, MemoryKeywordIndex())).judged(context, passages(one))

    assert away.odds == words.odds


async def test_what_answers_the_question_before_is_no_answer_to_a_follow_up() -> None:
    async def best(question: str) -> tuple[int, float]:
        sources = (source(1, "The lamp is offline: press its button twice."), source(2, "The lamp floats on water."))
        joined = f"The lamp is offline. {question}"
        context = AnswerContext(AgentConfig(name="x"), question, joined, sources, bare=question)
        candidates = [passage for each in sources for passage in passages(each)]
        [first, *_] = await PassageJudge(PassageReadings(HashingEmbedder(), MemoryKeywordIndex())).judged(
            context, candidates
        )
        return first.passage.source.number, first.odds

    (floats, sure), (_, unsure) = await best("Does it float on water?"), await best("Does it measure ultraviolet?")
    assert floats == 2
    assert unsure < sure


class _ReadsOffline:
    """Takes everything for an answer to a question about something offline, and nothing for one to another."""

    reads: ClassVar[None] = None

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        return [PairScore(30.0 if "offline" in question.casefold() else -9.0, 0.5)] * len(texts)


@every_row(
    ("bare", "is_answered"),
    [
        ("", True),
        ("How much is it?", False),
        ("Does it float?", False),
        ("Why?", True),
        ("And how long is it?", True),
        ("And how many seconds is it?", True),
        ("And how many years is it?", False),
    ],
)
async def test_only_a_follow_up_that_names_nothing_is_answered_by_the_question_before_it_alone(
    bare: str, is_answered: bool
) -> None:
    told = "The lamp is offline: press its button for ten seconds."
    sources = (source(1, told), source(2, "The lamp costs nothing."))
    context = AnswerContext(AgentConfig(name="x"), "x", "Offline lamp? How much is it?", sources, bare=bare)
    judge = PassageJudge(PassageReadings(HashingEmbedder(), MemoryKeywordIndex(), reranker=_ReadsOffline()))
    judged = await judge.judged(context, [passage for each in sources for passage in passages(each)])
    assert [one.odds for one in judged] == sorted((one.odds for one in judged), reverse=True)
    assert judged[0].passage.text == told
    assert (judged[0].probability > 0.5) == is_answered


@pytest.mark.parametrize(
    ("earlier", "bare", "text", "is_about_both"),
    [
        ("What is the lamp?", "How much does it cost?", "The lamp hangs in the hall.", False),
        ("What is the lamp?", "How much does it cost?", "The hanging lamp costs €9 with its base.", True),
        ("What is the lamp?", "Can I insure it?", "You may insure the lamp.", True),
    ],
    ids=["no price", "its price", "words of both"],
)
async def test_a_passage_that_a_follow_up_is_not_about_is_no_answer(
    earlier: str, bare: str, text: str, *, is_about_both: bool
) -> None:
    [one] = [source(1, text)]
    judge = PassageJudge(PassageReadings(HashingEmbedder(), MemoryKeywordIndex()))
    follow_up = AnswerContext(AgentConfig(name="x"), bare, f"{earlier} {bare}", (one,), bare=bare, language="en")

    [judged] = await judge.judged(follow_up, passages(one))
    [whole] = await judge.judged(replace(follow_up, bare=""), passages(one))

    assert (whole.odds - judged.odds < 1.5) == is_about_both
    assert (whole.odds - judged.odds > 4) != is_about_both


async def test_a_passage_that_tells_a_price_need_not_call_it_one() -> None:
    embedder = HashingEmbedder()
    embedder.is_down = True
    judge = PassageJudge(PassageReadings(embedder, MemoryKeywordIndex()))
    asked = "What does the hidden lamp cost?"
    sources = (source(1, "The hidden lamp, with its base: €59."), source(2, "The hidden lamp, with its base: white."))

    best, other = await judge.judged(
        AnswerContext(AgentConfig(name="x"), asked, asked, sources),
        [passage for each in sources for passage in passages(each)],
    )

    assert best.passage.source.number == 1
    assert best.odds == other.odds + 0.5


class FixedReranker:
    """Gives the texts that hold a key its logit. It counts what it was given."""

    reads: frozenset[str] | None = frozenset({"en"})

    def __init__(self, logits: dict[str, float]) -> None:
        self.is_down = False
        self.read: list[str] = []
        self._logits = logits

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        if self.is_down:
            raise RerankerUnavailable("It was told to be down.")
        self.read += texts
        return [PairScore(next(logit for key, logit in self._logits.items() if key in text), 0.5) for text in texts]


class TestReranked:
    SOURCES = (
        source(1, "The lamp has a switch under the base."),
        source(2, "The lamp has a switch at its cord."),
        source(3, "The lamp has a switch, they say."),
    )
    LOGITS: ClassVar = {"base": -8.0, "cord": 4.0, "say": 9.0}

    async def judged(
        self, judge: PassageJudge, *, passages_read: int, language: str = "en", sources: Sequence[Source] = SOURCES
    ) -> list[tuple[int, float]]:
        """Numbers of sources and the odds of their passages."""
        asked = "Where is the switch of the lamp?"
        agent = AgentConfig(name="x", retrieval=RetrievalSettings(rerank_passages=passages_read))
        context = AnswerContext(agent, asked, asked, tuple(sources), language=language)
        judged = await judge.judged(context, [passage for each in sources for passage in passages(each)])
        return [(one.passage.source.number, one.odds) for one in judged]

    @pytest.fixture
    def reranker(self) -> FixedReranker:
        return FixedReranker(self.LOGITS)

    @pytest.fixture
    def judge(self, reranker: FixedReranker) -> PassageJudge:
        return PassageJudge(PassageReadings(HashingEmbedder(), MemoryKeywordIndex(), reranker=reranker))

    async def test_the_best_few_are_ordered_by_what_the_reranker_says_as_well(self, judge: PassageJudge) -> None:
        before = await self.judged(judge, passages_read=0)
        after = await self.judged(judge, passages_read=3)

        assert after[0][0] == 3
        assert after[0][1] == pytest.approx(dict(before)[3] + 0.3 * (9 + 3.5))

    async def test_what_was_not_read_stays_behind_what_was(self, judge: PassageJudge) -> None:
        before = await self.judged(judge, passages_read=0)

        after = await self.judged(judge, passages_read=2)

        assert {number for number, _ in after[:2]} == {number for number, _ in before[:2]}
        assert after[2] == (before[2][0], min(before[2][1], after[1][1]))

    async def test_it_reads_a_question_and_a_passage_once(self, judge: PassageJudge, reranker: FixedReranker) -> None:
        first = await self.judged(judge, passages_read=3)
        again = await self.judged(judge, passages_read=3)

        assert again == first
        assert len(reranker.read) == 3

    @pytest.mark.parametrize(("logit", "read"), [(9.0, 3), (-8.0, 4)])
    async def test_the_rest_is_read_unless_one_of_the_first_is_out_of_its_reach(self, logit: float, read: int) -> None:
        reranker = FixedReranker({"lamp": logit})
        judge = PassageJudge(PassageReadings(HashingEmbedder(), MemoryKeywordIndex(), reranker=reranker))
        sources = (*self.SOURCES, source(4, "The lamp is sold out."))

        await self.judged(judge, passages_read=8, sources=sources)

        assert len(reranker.read) == read

    async def test_away_it_changes_nothing(self, judge: PassageJudge, reranker: FixedReranker) -> None:
        reranker.is_down = True

        assert await self.judged(judge, passages_read=3) == await self.judged(judge, passages_read=0)

    async def test_it_is_not_asked_in_a_language_that_it_does_not_read(
        self, judge: PassageJudge, reranker: FixedReranker
    ) -> None:
        assert await self.judged(judge, passages_read=3, language="de") == await self.judged(
            judge, passages_read=0, language="de"
        )
        assert reranker.read == []

    async def test_where_words_decide_alone_it_is_not_asked(self, reranker: FixedReranker) -> None:
        embedder = HashingEmbedder()
        embedder.is_down = True
        judge = PassageJudge(PassageReadings(embedder, MemoryKeywordIndex(), reranker=reranker))

        await self.judged(judge, passages_read=3)

        assert reranker.read == []
