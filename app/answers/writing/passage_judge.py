"""How well a passage answers a question: one figure from search, meaning, headings and words."""

import itertools
from array import array
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeVar

import numpy as np
import structlog

from app.answers.follow_up import leans_on_history
from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.asked_names import AskedNames
from app.answers.writing.passage_odds import (
    RAREST,
    Nearness,
    QuoteSignals,
    ahead_of,
    fitted_weights,
    ignored_share,
    kind_odds,
    scaled_odds,
)
from app.answers.writing.passages import Looks, Passage
from app.answers.writing.token_match import TokenMatch, token_matches
from app.core.errors import EmbedderUnavailable, IndexUnavailable, RerankerUnavailable
from app.core.text.asked_details import asked_details, is_completed, is_told_alone, lacks_detail
from app.core.text.turn_language import covers
from app.core.text.words import naming_spans, without_stop_words
from app.kit.cache import RecentValues
from app.providers.embedding.embedder import Embedder, TokenEmbedder, TokenVectors
from app.providers.indexes.keyword_index import KeywordIndex
from app.providers.reranking.reranker import Reranker
from app.search.confidence import plain_coverage, sigmoid

log = structlog.get_logger(__name__)

Vector: TypeAlias = "array[float]"  # of length 1, as embedders return them
Read = TypeVar("Read")  # what the embedder returns for a text

_NAMING_WORDS: Final = 24  # of a question; of a longer text, the reranker reads only the beginning
_READ: Final = 20  # passages to embed: each costs the embedder some 5 ms
_COVERAGE: Final = 3.26  # weight of the share of the question's words relative to search's order, to choose them
# Sites are asked about the same pages again and again.
_REMEMBERED: Final = 8_000  # vectors, of 1.5 KiB each
_REMEMBERED_TOKENS: Final = 2_000  # texts, of 40 KiB for a long passage and 5 for headings
_REMEMBERED_LOGITS: Final = 20_000  # one for each question and passage
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
    (`logit`). `names` is the part of the odds that comes from the question's names and years."""

    passage: Passage
    odds: float
    names: float = 0.0
    logit: float | None = None

    @property
    def is_reranked(self) -> bool:
        return self.logit is not None

    @property
    def probability(self) -> float:
        return sigmoid(self.odds)


class PassageJudge:
    """Scores the most promising passages with the embedder; if it is down or does not read the language, words and
    search alone decide. `tokens` is the same embedder if it can return a vector for each token. The `reranker` also
    reads the best few, the agent's `rerank_passages`, together with the question."""

    def __init__(
        self,
        embedder: Embedder,
        keywords: KeywordIndex,
        tokens: TokenEmbedder | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self._embedder = embedder
        self._keywords = keywords
        self._tokens = tokens
        self._reranker = reranker
        self._logits = RecentValues[tuple[str, Looks], float](_REMEMBERED_LOGITS)
        self._vectors = RecentValues[str, Vector](_REMEMBERED)
        self._token_vectors = RecentValues[str, TokenVectors](_REMEMBERED_TOKENS)

    async def judged(self, context: AnswerContext, candidates: Sequence[Passage]) -> list[JudgedPassage]:
        """The most promising candidates, best first. An answer to a follow-up ("does it float?") must fit its own words
        as well as the question before it, and be hardly surer than the best answer to the follow-up alone, unless that
        names nothing itself ("how many years is it?")."""
        judged, is_meant = await self._read(context, candidates)
        if not is_meant:
            return judged
        if not context.bare:
            return await self._reranked(context, judged)
        alone = replace(context, read_as=context.bare)
        own, _ = await self._read(alone, [one.passage for one in judged])
        most = {one.passage: one.odds + _FOLLOW_UP_ODDS for one in own}
        judged = [replace(one, odds=min(one.odds, most[one.passage])) for one in judged]
        judged = await self._reranked(context, sorted(judged, key=lambda one: -one.odds))
        if is_completed(context.bare, judged[0].passage.text):
            return judged
        bare, _ = await self._read(alone, candidates)
        [surest, *_] = await self._reranked(alone, bare)
        judged = [
            replace(one, odds=one.odds + (_UNFIT_ODDS if lacks_detail(context.bare, one.passage.text) else 0.0))
            for one in judged
        ]
        judged.sort(key=lambda one: -one.odds)
        above = max(0.0, judged[0].odds - surest.odds - _FOLLOW_UP_ODDS)
        return [replace(one, odds=one.odds - above) for one in judged]

    async def _read(self, context: AnswerContext, candidates: Sequence[Passage]) -> tuple[list[JudgedPassage], bool]:
        """The most promising, best first, and whether any of them was embedded."""
        promising = _promising(candidates, await self._shares(context, candidates))
        question = context.asked
        read = [
            passage
            for passage, _ in promising
            if covers(self._embedder.reads, context.asked_in, passage.source.language)
        ]
        nearness = await self._nearness(question, read)
        if read and not nearness:
            context.missing.add("embedder")
        names = AskedNames(question, context.asked_in, context.sources, known=[context.agent.name])
        judged = [
            JudgedPassage(
                passage,
                scaled_odds(passage, share, lead, nearness.get(passage.looks))
                + _odds_of_details(question, passage.text)
                + kind_odds(passage.source)
                + (named := names.odds(passage))
                + (self._language_odds(context, passage.source) if passage.looks in nearness else 0.0),
                named,
            )
            for (passage, share), lead in zip(promising, _leads(promising), strict=True)
        ]
        judged.sort(key=lambda one: -one.odds)
        return judged, bool(nearness)

    async def _reranked(self, context: AnswerContext, judged: list[JudgedPassage]) -> list[JudgedPassage]:
        """Reorder the best few with the reranker's logits. The others stay behind them: a low logit shows that a
        passage is no answer, not that one which was not read is better."""
        most = context.agent.retrieval.rerank_passages
        read, rest = await self._with_logits(context, judged[: min(most, _READ_FIRST)]), judged[_READ_FIRST:most]
        if rest and "reranker" not in context.missing and max(one.odds for one in read) - rest[0].odds < _OUT_OF_REACH:
            read += await self._with_logits(context, rest)
        if not any(one.is_reranked for one in read):
            return judged
        last = min(one.odds for one in read)
        behind = [replace(one, odds=min(one.odds, last)) for one in judged[len(read) :]]
        return [*sorted(read, key=lambda one: -one.odds), *behind]

    async def _with_logits(self, context: AnswerContext, judged: Sequence[JudgedPassage]) -> list[JudgedPassage]:
        logits = await self._read_together(context, [one.passage for one in judged])
        weights = fitted_weights("reranker")
        return [
            replace(one, odds=one.odds + weights["weight"] * (logit - weights["even"]), logit=logit)
            if (logit := logits.get(one.passage.looks)) is not None
            else one
            for one in judged
        ]

    async def confidence(self, context: AnswerContext, judged: Sequence[JudgedPassage]) -> float:
        """The probability, in [0, 1], that an answer made of the first (best) passage is right. If the question leans
        on context, it is at most that of the passage's odds, which include how well the context fits."""
        signals, best = await self.signals(context, judged), judged[0]
        likely = sigmoid(signals.odds) if signals else best.probability
        if not any(map(str.isalpha, context.asked)) and not any(await self._shares(context, [best.passage])):
            return min(likely, best.passage.source.calibrated)  # "12345" of another matter, "!!!", an emoji
        return min(likely, best.probability) if _leans(context) else likely

    async def signals(self, context: AnswerContext, judged: Sequence[JudgedPassage]) -> QuoteSignals | None:
        """The signals of the best passage; None if the reranker has not read it. `ahead` is limited for a question that
        leans on context: few passages have the detail asked for, so one that does leads whatever it is about."""
        best, *others = judged
        if best.logit is None:
            return None
        # Passages out of reach were not read, but are comparable: on average, a reading adds nothing.
        near = others[: context.agent.retrieval.rerank_passages - 1]
        odds = [one.odds for one in near if not one.passage.overlaps(best.passage)]
        ahead = ahead_of(best.odds, odds)
        if _leans(context):
            ahead = min(ahead, best.odds + fitted_weights("confidence")["leaning_ahead"])
        weights, gains = [], []
        # A gloss has words that no page would use.
        lacking = [] if context.read_in else await self._lacking(context, best.passage)
        for (start, end), weight in lacking:
            without = " ".join(f"{context.asked[:start]} {context.asked[end:]}".split())
            logits = await self._read_together(replace(context, read_as=without), [best.passage]) if without else {}
            if (logit := logits.get(best.passage.looks)) is not None:
                weights.append(weight)
                gains.append(best.logit - logit)
        return QuoteSignals(ahead, best.names, best.logit, ignored_share(weights, gains))

    async def _lacking(self, context: AnswerContext, passage: Passage) -> list[tuple[tuple[int, int], float]]:
        """The question's rarest naming words that neither the passage nor its headings contain: the span of each in the
        question, and its share of the weight of all naming words."""
        question, text = context.asked, f"{passage.place}\n{passage.text}"
        spans = naming_spans(question, context.asked_in)[:_NAMING_WORDS]
        named = [question[start:end] for start, end in spans]
        asked = " ".join(named)
        if not asked:
            return []
        whole, had, *had_with = await self._coverage(
            context, asked, [asked, text, *(f"{text}\n{word}" for word in named)]
        )
        lacking = [(span, (share - had) / whole) for span, share in zip(spans, had_with, strict=True) if share > had]
        return sorted(lacking, key=lambda one: -one[1])[:RAREST]

    async def _read_together(self, context: AnswerContext, passages: Sequence[Passage]) -> dict[Looks, float]:
        """The logits of passages in a language that the reranker reads; empty if it is down or busy."""
        if self._reranker is None:
            return {}
        reads, question = self._reranker.reads, context.asked
        looks = [one.looks for one in passages if covers(reads, context.asked_in, one.source.language)]
        known = {look: logit for look in looks if (logit := self._logits.get((question, look))) is not None}
        missing = [look for look in dict.fromkeys(looks) if look not in known]
        if not missing:
            return known
        # A passage without headings has its text as its place too.
        texts = [text if place == text else f"{place}\n{text}" for text, place in missing]
        budget_seconds = context.agent.retrieval.rerank_budget_ms / 1000
        try:
            scores = await self._reranker.score(question, texts, budget_seconds=budget_seconds)
        except RerankerUnavailable as error:
            log.info("passages.reranker_away", reason=str(error))
            context.missing.add("reranker")
            return {}
        for look, score in zip(missing, scores, strict=True):
            known[look] = score.logit
            self._logits.keep((question, look), score.logit)
        return known

    async def nearness(self, context: AnswerContext, source: Source, texts: Sequence[str]) -> list[float] | None:
        """The cosine of the question and each text of the source; None if the embedder cannot read them."""
        if not covers(self._embedder.reads, context.asked_in, source.language):
            return None
        vectors = await self._meanings([context.asked, *texts])
        if vectors is None:
            return None
        return _cosines(vectors[context.asked], [vectors[text] for text in texts])

    async def _shares(self, context: AnswerContext, candidates: Sequence[Passage]) -> list[float]:
        """The share of the question's words in each passage; 1 if only contact details are asked for, and it has
        them."""
        question = context.asked
        shares = await self._coverage(context, question, [f"{one.place}\n{one.text}" for one in candidates])
        alone = [is_told_alone(question, passage.text) for passage in candidates]
        return [1.0 if is_told else share for is_told, share in zip(alone, shares, strict=True)]

    async def _coverage(self, context: AnswerContext, question: str, texts: Sequence[str]) -> list[float]:
        """The share of the question's words that each text contains, weighted by how rare they are on the site."""
        asked = without_stop_words(question, context.asked_in)
        if context.agent_id is not None:
            try:
                return await self._keywords.coverage(context.agent_id, context.agent.language, asked, texts)
            except IndexUnavailable as error:
                log.warning("passages.coverage_away", reason=str(error))
        return plain_coverage(asked, texts)

    def _language_odds(self, context: AnswerContext, source: Source) -> float:
        """Lower for a source in a language that the embedder does not know, and for one in another language than the
        question if there is a source in the question's own."""
        asked_in = context.asked_in
        is_known = covers(self._embedder.knows, asked_in, source.language)
        is_other = source.language is not None and source.language != asked_in
        stands_back = is_other and any(each.language == asked_in for each in context.sources if each.language)
        return (0.0 if is_known else _GLOSSED_ODDS) + (_OTHER_LANGUAGE_ODDS if stands_back else 0.0)

    async def _nearness(self, question: str, passages: Sequence[Passage]) -> dict[Looks, Nearness]:
        """The nearness of each passage, by its looks; empty if the embedder is down."""
        if not passages:
            return {}
        looks = list(dict.fromkeys(passage.looks for passage in passages))
        texts = [question, *(text for look in looks for text in look)]
        if self._tokens is not None:
            return await self._nearness_by_tokens(self._tokens, question, looks, texts)
        vectors = await self._meanings(texts)
        if vectors is None:
            return {}
        return _nearness(vectors[question], {look: (vectors[look[0]], vectors[look[1]]) for look in looks})

    async def _nearness_by_tokens(
        self, embedder: TokenEmbedder, question: str, looks: Sequence[Looks], texts: Sequence[str]
    ) -> dict[Looks, Nearness]:
        vectors = await _remembered(texts, self._token_vectors, embedder.embed_tokens)
        if vectors is None:
            return {}
        for text, read in vectors.items():
            self._vectors.keep(text, read.meaning)
        meanings = {(text, place): (vectors[text].meaning, vectors[place].meaning) for text, place in looks}
        matches = token_matches(vectors[question], [(vectors[text], vectors[place]) for text, place in looks])
        return _nearness(vectors[question].meaning, meanings, matches)

    async def _meanings(self, texts: Sequence[str]) -> dict[str, Vector] | None:
        async def embed(missing: Sequence[str]) -> list[Vector]:
            return [array("f", numbers) for numbers in await self._embedder.embed(missing)]

        return await _remembered(texts, self._vectors, embed)


def _leans(context: AnswerContext) -> bool:
    """Whether the question leans on the one before it, or on the visitor's page."""
    return bool(context.bare) or leans_on_history(context.question)


def _odds_of_details(question: str, text: str) -> float:
    if is_told_alone(question, text):
        return _CONTACT_ODDS
    return _DETAIL_ODDS if any(each.answering.search(text) for each in asked_details(question)) else 0.0


def _promising(candidates: Sequence[Passage], shares: Sequence[float]) -> list[tuple[Passage, float]]:
    """The best by search and words, including the best one of each source: a long source has so many with some of the
    question's words that one whose heading uses other words would never be read."""
    best_first = sorted(
        zip(candidates, shares, strict=True), key=lambda pair: -(pair[0].source.order + _COVERAGE * pair[1])
    )
    sources: set[int] = set()
    firsts: list[int] = []
    others: list[int] = []
    for at, (passage, _) in enumerate(best_first):
        (others if passage.source.number in sources else firsts).append(at)
        sources.add(passage.source.number)
    return [best_first[at] for at in sorted([*firsts, *others][:_READ])]


async def _remembered(
    texts: Sequence[str], known: RecentValues[str, Read], embed: Callable[[Sequence[str]], Awaitable[list[Read]]]
) -> dict[str, Read] | None:
    """What the embedder returns for each text; it is called only for those not in `known`. None if it is down."""
    wanted = list(dict.fromkeys(texts))
    read = {text: value for text in wanted if (value := known.get(text)) is not None}
    missing = [text for text in wanted if text not in read]
    try:
        embedded = await embed(missing) if missing else []
    except EmbedderUnavailable as error:
        log.warning("passages.embedder_away", reason=str(error))
        return None
    for text, value in zip(missing, embedded, strict=True):
        read[text] = value
        known.keep(text, value)
    return read


def _leads(promising: Sequence[tuple[Passage, float]]) -> list[float]:
    """How far each passage's share of the words exceeds the best in any other source; 0 if there is no other."""
    best: dict[int, float] = {}
    for passage, share in promising:
        best[passage.source.number] = max(share, best.get(passage.source.number, 0.0))
    if len(best) == 1:
        return [0.0] * len(promising)
    return [
        share - max((other for number, other in best.items() if number != passage.source.number))
        for passage, share in promising
    ]


def _nearness(
    asked: Vector, meanings: Mapping[Looks, tuple[Vector, Vector]], matches: Sequence[TokenMatch | None] = ()
) -> dict[Looks, Nearness]:
    cosines = iter(_cosines(asked, [vector for both in meanings.values() for vector in both]))
    return {
        look: Nearness(next(cosines), next(cosines), match) for look, match in itertools.zip_longest(meanings, matches)
    }


def _cosines(asked: Vector, others: Sequence[Vector]) -> list[float]:
    cosines: list[float] = (np.array(others, dtype=np.float32) @ np.asarray(asked, dtype=np.float32)).tolist()
    return cosines
