"""How well a passage answers a question: one figure from search, meaning, headings and words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.asked_names import AskedNames
from app.answers.writing.passage_odds import Nearness, fitted_weights, kind_odds, scaled_odds
from app.answers.writing.passage_readings import PassageReadings
from app.answers.writing.passages import Passage
from app.core.text.requested_details import has_requested_contacts, is_completed, lacks_detail, requested_details
from app.search.confidence import sigmoid

_MOST_PASSAGES: Final = 20  # to embed: each costs the embedder some 5 ms
_COVERAGE: Final = 3.26  # weight of the share of the question's words relative to search's order, to choose them
# The reranker reads the rest of the agent's `rerank_passages` only if none of the first is _OUT_OF_REACH ahead: a
# reading adds 3 log odds at most.
_READ_FIRST: Final = 3
_OUT_OF_REACH: Final = 3.0
# How far the question before a follow-up may raise the odds above those of the follow-up's own words alone, for each
# passage and for the best one: a follow-up that nothing answers alone has no answer after another question either.
_FOLLOW_UP_ODDS: Final = 2.0
_UNFIT_ODDS: Final = -5.0  # for a passage without the only detail that a follow-up asks for
# For a passage that the embedder reads through word-by-word glosses, and for one in another language than the question.
_GLOSSED_ODDS: Final = -0.5
_OTHER_LANGUAGE_ODDS: Final = -1.0
# For a passage with a detail that is asked for, such as a price, or with contact details if only those are asked for.
_DETAIL_ODDS: Final = 0.5
_CONTACT_ODDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class JudgedPassage:
    """`odds` are the log odds that the passage answers the question, spread further apart once the reranker has read it
    (`logit`). `names` is the part of the odds that comes from the question's names and years. `nearness` is None if the
    embedder has not read it."""

    passage: Passage
    odds: float
    names: float = 0.0
    nearness: Nearness | None = None
    logit: float | None = None

    @property
    def probability(self) -> float:
        return sigmoid(self.odds)

    def plus(self, odds: float) -> "JudgedPassage":
        return replace(self, odds=self.odds + odds)

    def at_most(self, odds: float) -> "JudgedPassage":
        return replace(self, odds=min(self.odds, odds))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A passage, the share of the question's words in it, and how far that exceeds the best share in any other source;
    0 if there is no other."""

    passage: Passage
    share: float
    lead: float


class PassageJudge:
    """Scores the most promising passages with the embedder; if it is down or does not read the language, words and
    search alone decide. The reranker also reads the best few, the agent's `rerank_passages`, together with the
    question."""

    def __init__(self, readings: PassageReadings) -> None:
        self._readings = readings

    async def judged(self, context: AnswerContext, candidates: Sequence[Passage]) -> list[JudgedPassage]:
        """The most promising candidates, best first."""
        judged = await self._first_order(context, candidates)
        if all(one.nearness is None for one in judged):
            return judged
        if context.bare:
            return await self._judged_as_follow_up(context, candidates, judged)
        return await self._reranked(context, judged)

    async def _judged_as_follow_up(
        self, context: AnswerContext, candidates: Sequence[Passage], judged: Sequence[JudgedPassage]
    ) -> list[JudgedPassage]:
        """An answer to a follow-up ("does it float?") must fit its own words as well as the question before it, and be
        hardly surer than the best answer to the follow-up alone, unless that names nothing itself ("how many years is
        it?"). `judged` are by both questions."""
        alone = replace(context, read_as=context.bare)
        by_own_words = await self._first_order(alone, [one.passage for one in judged])
        most = {one.passage: one.odds + _FOLLOW_UP_ODDS for one in by_own_words}
        judged = await self._reranked(context, _best_first(one.at_most(most[one.passage]) for one in judged))
        if is_completed(context.bare, judged[0].passage.text):
            return judged
        surest_alone = (await self._reranked(alone, await self._first_order(alone, candidates)))[0]
        judged = _best_first(
            one.plus(_UNFIT_ODDS) if lacks_detail(context.bare, one.passage.text) else one for one in judged
        )
        above = max(0.0, judged[0].odds - surest_alone.odds - _FOLLOW_UP_ODDS)
        return [one.plus(-above) for one in judged]

    async def _first_order(self, context: AnswerContext, candidates: Sequence[Passage]) -> list[JudgedPassage]:
        """The most promising candidates, best first by everything but the reranker."""
        promising = _promising(candidates, await word_shares(self._readings, context, candidates))
        nearness = await self._readings.nearness(context, [one.passage for one in promising])
        names = AskedNames(context.asked, context.asked_in, context.sources, known=[context.agent.name])
        return _best_first(self._judged(context, one, nearness.get(one.passage.looks), names) for one in promising)

    def _judged(
        self, context: AnswerContext, one: _Candidate, nearness: Nearness | None, names: AskedNames
    ) -> JudgedPassage:
        passage, of_names = one.passage, names.odds(one.passage)
        odds = (
            scaled_odds(passage, one.share, one.lead, nearness)
            + _odds_of_details(context.asked, passage.text)
            + kind_odds(passage.source)
            + of_names
            + (self._odds_of_language(context, passage.source) if nearness else 0.0)
        )
        return JudgedPassage(passage, odds, of_names, nearness)

    async def _reranked(self, context: AnswerContext, judged: Sequence[JudgedPassage]) -> list[JudgedPassage]:
        """Reorder the best few with the reranker's logits. The others stay behind them: a low logit shows that a
        passage is no answer, not that one which was not read is better."""
        most = context.agent.retrieval.rerank_passages
        read, rest = await self._with_logits(context, judged[: min(most, _READ_FIRST)]), judged[_READ_FIRST:most]
        if rest and "reranker" not in context.missing and max(one.odds for one in read) - rest[0].odds < _OUT_OF_REACH:
            read += await self._with_logits(context, rest)
        if all(one.logit is None for one in read):
            return list(judged)
        last = min(one.odds for one in read)
        return [*_best_first(read), *(one.at_most(last) for one in judged[len(read) :])]

    async def _with_logits(self, context: AnswerContext, judged: Sequence[JudgedPassage]) -> list[JudgedPassage]:
        logits = await self._readings.logits(context, [one.passage for one in judged])
        weights = fitted_weights("reranker")
        return [
            replace(one.plus(weights["weight"] * (logit - weights["even"])), logit=logit)
            if (logit := logits.get(one.passage.looks)) is not None
            else one
            for one in judged
        ]

    def _odds_of_language(self, context: AnswerContext, source: Source) -> float:
        """Lower for a source in a language that the embedder does not know, and for one in another language than the
        question if there is a source in the question's own."""
        asked_in = context.asked_in
        is_other = source.language is not None and source.language != asked_in
        stands_back = is_other and any(each.language == asked_in for each in context.sources if each.language)
        is_known = self._readings.knows(context, source)
        return (0.0 if is_known else _GLOSSED_ODDS) + (_OTHER_LANGUAGE_ODDS if stands_back else 0.0)


async def word_shares(readings: PassageReadings, context: AnswerContext, candidates: Sequence[Passage]) -> list[float]:
    """The share of the question's words in each passage; 1 if only contact details are asked for, and it has them."""
    question = context.asked
    shares = await readings.coverage(context, question, [f"{one.place}\n{one.text}" for one in candidates])
    return [
        1.0 if has_requested_contacts(question, passage.text) else share
        for passage, share in zip(candidates, shares, strict=True)
    ]


def _best_first(judged: Iterable[JudgedPassage]) -> list[JudgedPassage]:
    return sorted(judged, key=lambda one: -one.odds)


def _odds_of_details(question: str, text: str) -> float:
    if has_requested_contacts(question, text):
        return _CONTACT_ODDS
    return _DETAIL_ODDS if any(each.answering.search(text) for each in requested_details(question)) else 0.0


def _promising(passages: Sequence[Passage], shares: Sequence[float]) -> list[_Candidate]:
    """The best by search and words, including the best one of each source: a long source has so many with some of the
    question's words that one whose heading uses other words would never be read."""
    best_first = sorted(
        zip(passages, shares, strict=True), key=lambda pair: -(pair[0].source.order + _COVERAGE * pair[1])
    )
    firsts = {passage.source.number: at for at, (passage, _) in reversed([*enumerate(best_first)])}.values()
    chosen = sorted(range(len(best_first)), key=lambda at: at not in firsts)[:_MOST_PASSAGES]
    promising = [best_first[at] for at in sorted(chosen)]
    best: dict[int, float] = {}  # share, by source
    for passage, share in promising:
        best[passage.source.number] = max(share, best.get(passage.source.number, 0.0))
    others = {own: [share for number, share in best.items() if number != own] for own in best}
    return [
        _Candidate(passage, share, share - max(others[passage.source.number], default=share))
        for passage, share in promising
    ]
