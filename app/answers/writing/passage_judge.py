"""How well a passage answers a question: what search, its meaning, its heading and its words say, as one figure."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final, TypeAlias

import structlog

from app.answers.writing.answer_context import AnswerContext
from app.answers.writing.asked_names import AskedNames
from app.answers.writing.passage_form import form_odds
from app.answers.writing.passages import Passage, piece_text
from app.core.errors import EmbedderUnavailable, IndexUnavailable
from app.core.text.stop_words import without_stop_words
from app.kit.recent_values import RecentValues
from app.providers.embedding.embedder import Embedder
from app.providers.indexes.keyword_index import KeywordIndex
from app.search.confidence import plain_coverage, sigmoid

log = structlog.get_logger(__name__)

Vector: TypeAlias = "array[float]"  # of length 1, as embedders give them

_READ: Final = 24  # passages whose meaning is asked for: each costs the embedder some 5 ms
_REMEMBERED: Final = 8_000  # vectors, of 1.5 KiB each: sites are asked about the same pages again and again


@dataclass(frozen=True, slots=True)
class PassageScale:
    """The log odds that an answer made of the passage is right. Fitted on judged answers (docs/evaluation.md).

    `order` is what search thinks of the source, in [0, 1]; `meaning` the cosine of question and passage, `heading`
    that of question and headings; `coverage` the share of the question's words that the passage or its headings hold,
    in [0, 1), and `lead` how much that is above the best share in any other source, in (-1, 1).
    """

    bias: float
    order: float
    coverage: float
    lead: float = 0.0
    meaning: float = 0.0
    heading: float = 0.0


_ALL: Final = PassageScale(bias=-4.39, order=0.65, coverage=2.12, meaning=3.78, heading=2.84)
# Words that many pages share prove little where no meaning is known: what counts is that one page holds more of them.
_WORDS_ALONE: Final = PassageScale(bias=-4.25, order=1.0, coverage=5.16, lead=7.89)


@dataclass(frozen=True, slots=True)
class JudgedPassage:
    """`odds` are the log odds that it answers the question."""

    passage: Passage
    odds: float

    @property
    def probability(self) -> float:
        return sigmoid(self.odds)


class PassageJudge:
    """Reads the most promising passages by the embedder; where it is away, or does not read the language, words and
    search alone decide."""

    def __init__(self, embedder: Embedder, keywords: KeywordIndex) -> None:
        self._embedder = embedder
        self._keywords = keywords
        self._vectors = RecentValues[str, Vector](_REMEMBERED)

    async def judged(self, context: AnswerContext, candidates: Sequence[Passage]) -> list[JudgedPassage]:
        """The most promising of the candidates, best first."""
        shares = await self._coverage(context, [f"{passage.place}\n{passage.text}" for passage in candidates])
        promising = sorted(
            zip(candidates, shares, strict=True),
            key=lambda pair: -(_ALL.order * pair[0].source.order + _ALL.coverage * pair[1]),
        )[:_READ]
        question = context.standalone
        read = [passage for passage, _ in promising if self._reads(context.language, passage.source.language)]
        vectors = (
            await self._meanings([question, *(text for passage in read for text in _looks(passage))]) if read else None
        )
        names = AskedNames(question, context.language, context.sources, known=[context.agent.name])
        judged = [
            JudgedPassage(
                passage,
                _odds(passage, share, lead, question, vectors if passage in read else None)
                + form_odds(question, passage)
                + names.odds(passage),
            )
            for (passage, share), lead in zip(promising, _leads(promising), strict=True)
        ]
        return sorted(judged, key=lambda one: -one.odds)

    async def nearness(self, context: AnswerContext, passage: Passage) -> list[float] | None:
        """The cosine of the question and each piece of the passage; None where the embedder cannot tell."""
        if not self._reads(context.language, passage.source.language):
            return None
        texts = [piece_text(piece) for piece in passage.own_pieces]
        vectors = await self._meanings([context.standalone, *texts])
        if vectors is None:
            return None
        return [_cosine(vectors[context.standalone], vectors[text]) for text in texts]

    async def _coverage(self, context: AnswerContext, texts: Sequence[str]) -> list[float]:
        """The share of the question's words that each text holds, by how rare they are on the site."""
        asked = without_stop_words(context.standalone, context.language)
        if context.agent_id is not None:
            try:
                return await self._keywords.coverage(context.agent_id, context.agent.language, asked, texts)
            except IndexUnavailable as error:
                log.warning("passages.coverage_away", reason=str(error))
        return plain_coverage(asked, texts)

    def _reads(self, *languages: str | None) -> bool:
        """Whether the embedder reads the question's language and the page's, as far as they are known."""
        known = self._embedder.reads
        return known is None or all(language is None or language in known for language in languages)

    async def _meanings(self, texts: Sequence[str]) -> dict[str, Vector] | None:
        wanted = list(dict.fromkeys(texts))
        vectors = {text: vector for text in wanted if (vector := self._vectors.get(text)) is not None}
        missing = [text for text in wanted if text not in vectors]
        try:
            embedded = await self._embedder.embed(missing) if missing else []
        except EmbedderUnavailable as error:
            log.warning("passages.embedder_away", reason=str(error))
            return None
        for text, numbers in zip(missing, embedded, strict=True):
            vectors[text] = array("f", numbers)
            self._vectors.keep(text, vectors[text])
        return vectors


def _leads(promising: Sequence[tuple[Passage, float]]) -> list[float]:
    """By how much each one's share of the question's words is above the best share in any other source; 0 where there
    is no other to compare it with."""
    best: dict[int, float] = {}
    for passage, share in promising:
        best[passage.source.number] = max(share, best.get(passage.source.number, 0.0))
    if len(best) == 1:
        return [0.0] * len(promising)
    return [
        share - max((other for number, other in best.items() if number != passage.source.number))
        for passage, share in promising
    ]


def _odds(passage: Passage, coverage: float, lead: float, question: str, vectors: dict[str, Vector] | None) -> float:
    scale = _WORDS_ALONE if vectors is None else _ALL
    odds = scale.bias + scale.order * passage.source.order + scale.coverage * coverage + scale.lead * lead
    if vectors is None:
        return odds
    asked = vectors[question]
    meaning, heading = (_cosine(asked, vectors[text]) for text in _looks(passage))
    return odds + scale.meaning * meaning + scale.heading * heading


def _looks(passage: Passage) -> tuple[str, str]:
    """The passage, and its headings."""
    return passage.text, passage.place or passage.text


def _cosine(one: Vector, other: Vector) -> float:
    return float(sum(map(mul, one, other)))
