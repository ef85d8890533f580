"""How well a passage answers a question: what search, its meaning, its heading and its words say, as one figure."""

import re
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final, TypeAlias

import structlog

from app.answering.brief import AnswerBrief
from app.answering.passages import Passage
from app.domain.confidence import plain_coverage, sigmoid
from app.domain.errors import EmbedderUnavailable, IndexUnavailable
from app.ports.embedder import Embedder
from app.ports.keyword_index import KeywordIndex

log = structlog.get_logger(__name__)

Vector: TypeAlias = "array[float]"  # of length 1, as embedders give them

_READ: Final = 24  # passages whose meaning is asked for: each costs the embedder some 5 ms
_REMEMBERED: Final = 8_000  # vectors, of 1.5 KiB each: sites are asked about the same pages again and again


_ASKS_PRICE: Final = re.compile(
    r"\b(?:costs?|prices?|how much|fees?|kosten|kostet|preise?|co[uû]te?|prix|cuestan?|precios?|costa|prezz[oi]"
    r"|preços?)\b",
    re.IGNORECASE,
)
_PRICE: Final = re.compile(r"[€$£¥₹]\s?\d|\d\s?(?:[€£¥₹]|EUR\b|USD\b|GBP\b|euros?\b|dollars?\b)")
_PRICE_ODDS: Final = 0.5  # what a price says for itself where one is asked for


@dataclass(frozen=True, slots=True)
class PassageScale:
    """The log odds that an answer made of the passage is right. Fitted on judged answers (docs/evaluation.md).

    `order` is what search thinks of the source, in [0, 1]; `meaning` the cosine of question and passage, `placed` that
    of the passage under its headings, `heading` that of its headings alone; `coverage` the share of the question's
    words that the passage or its headings hold, in [0, 1).
    """

    bias: float
    order: float
    coverage: float
    meaning: float = 0.0
    placed: float = 0.0
    heading: float = 0.0


_ALL: Final = PassageScale(bias=-4.48, order=0.7, coverage=1.93, meaning=3.06, placed=1.51, heading=2.3)
_WORDS_ALONE: Final = PassageScale(bias=-2.6, order=0.9, coverage=4.0)


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
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    async def judged(self, brief: AnswerBrief, candidates: Sequence[Passage]) -> list[JudgedPassage]:
        """The most promising of the candidates, best first."""
        shares = await self._coverage(brief, [f"{passage.place}\n{passage.text}" for passage in candidates])
        promising = sorted(
            zip(candidates, shares, strict=True),
            key=lambda pair: -(_ALL.order * pair[0].source.order + _ALL.coverage * pair[1]),
        )[:_READ]
        question = brief.standalone
        vectors = await self._meanings(question, [passage for passage, _ in promising], brief.language)
        judged = [JudgedPassage(passage, _odds(passage, share, question, vectors)) for passage, share in promising]
        return sorted(judged, key=lambda one: -one.odds)

    async def _coverage(self, brief: AnswerBrief, texts: Sequence[str]) -> list[float]:
        """The share of the question's words that each text holds, by how rare they are on the site."""
        if brief.agent_id is not None:
            try:
                return await self._keywords.coverage(brief.agent_id, brief.agent.language, brief.standalone, texts)
            except IndexUnavailable as error:
                log.warning("passages.coverage_away", reason=str(error))
        return plain_coverage(brief.standalone, texts)

    async def _meanings(self, question: str, read: Sequence[Passage], language: str | None) -> dict[str, Vector] | None:
        known = self._embedder.reads
        if not read or (language is not None and known is not None and language not in known):
            return None
        wanted = list(dict.fromkeys([question, *(text for passage in read for text in _looks(passage))]))
        missing = [text for text in wanted if text not in self._vectors]
        try:
            embedded = await self._embedder.embed(missing) if missing else []
            found = {text: array("f", vector) for text, vector in zip(missing, embedded, strict=True)}
        except EmbedderUnavailable as error:
            log.warning("passages.embedder_away", reason=str(error))
            return None
        vectors = {text: found[text] if text in found else self._vectors[text] for text in wanted}
        self._remember(vectors)
        return vectors

    def _remember(self, vectors: dict[str, Vector]) -> None:
        for text, vector in vectors.items():
            self._vectors[text] = vector
            self._vectors.move_to_end(text)
        while len(self._vectors) > _REMEMBERED:
            self._vectors.popitem(last=False)


def _odds(passage: Passage, coverage: float, question: str, vectors: dict[str, Vector] | None) -> float:
    scale = _WORDS_ALONE if vectors is None else _ALL
    odds = scale.bias + scale.order * passage.source.order + scale.coverage * coverage
    if vectors is None:
        return odds
    asked = vectors[question]
    alone, placed, heading = (_cosine(asked, vectors[text]) for text in _looks(passage))
    if _ASKS_PRICE.search(question) and _PRICE.search(passage.text):
        odds += _PRICE_ODDS
    return odds + scale.meaning * alone + scale.placed * placed + scale.heading * heading


def _looks(passage: Passage) -> tuple[str, str, str]:
    """The passage alone, under its headings, and these alone."""
    return passage.text, f"{passage.place}\n{passage.text}", passage.place or passage.text


def _cosine(one: Vector, other: Vector) -> float:
    return float(sum(map(mul, one, other)))
