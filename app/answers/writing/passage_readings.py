"""What models and the keyword index read in a question and its passages. Sites are asked about the same pages again and
again, so recent readings are kept."""

import itertools
from array import array
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias, TypeVar

import numpy as np
import structlog

from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.passage_odds import Nearness
from app.answers.writing.passages import Looks, Passage
from app.answers.writing.token_match import TokenMatch, token_matches
from app.core.errors import EmbedderUnavailable, IndexUnavailable, RerankerUnavailable
from app.core.text.turn_language import covers
from app.core.text.words import without_stop_words
from app.kit.cache import RecentValues
from app.providers.embedding.embedder import Embedder, TokenEmbedder, TokenVectors
from app.providers.indexes.search_indexes import KeywordIndex
from app.providers.reranking.reranker import Reranker
from app.search.confidence import plain_coverage

log = structlog.get_logger(__name__)

Vector: TypeAlias = "array[float]"  # of length 1, as embedders return them
Read = TypeVar("Read")  # what the embedder returns for a text

_VECTORS: Final = 8_000  # of 1.5 KiB each
_TOKEN_VECTORS: Final = 2_000  # texts, of 40 KiB for a long passage and 5 for headings
_LOGITS: Final = 20_000  # one for each question and passage


class PassageReadings:
    """`tokens` is the same embedder if it can return a vector for each token. Models that are down or busy are added to
    the context's `missing`, and read nothing."""

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
        self._logits = RecentValues[tuple[str, Looks], float](_LOGITS)
        self._vectors = RecentValues[str, Vector](_VECTORS)
        self._token_vectors = RecentValues[str, TokenVectors](_TOKEN_VECTORS)

    def knows(self, context: AnswerContext, source: Source) -> bool:
        """Whether the embedder understands both languages, rather than reading one of them word for word."""
        return covers(self._embedder.knows, context.asked_in, source.language)

    async def nearness(self, context: AnswerContext, passages: Sequence[Passage]) -> dict[Looks, Nearness]:
        """How near each passage is to the question, by its looks; only those in a language that the embedder reads."""
        looks = list(dict.fromkeys(one.looks for one in passages if self._is_embedded(context, one.source)))
        if not looks:
            return {}
        try:
            return await self._nearness(context.asked, looks)
        except EmbedderUnavailable as error:
            _miss_embedder(context, error)
            return {}

    async def cosines(self, context: AnswerContext, source: Source, texts: Sequence[str]) -> list[float] | None:
        """The cosine of the question and each text of the source; None if the embedder cannot read them."""
        if not self._is_embedded(context, source):
            return None
        try:
            vectors = await self._meanings([context.asked, *texts])
        except EmbedderUnavailable as error:
            _miss_embedder(context, error)
            return None
        return _cosines(vectors[context.asked], [vectors[text] for text in texts])

    async def logits(self, context: AnswerContext, passages: Sequence[Passage]) -> dict[Looks, float]:
        """The reranker's logits, by looks, of passages in a language that it reads; empty if it is down or busy."""
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

    async def coverage(self, context: AnswerContext, question: str, texts: Sequence[str]) -> list[float]:
        """The share, in [0, 1], of the question's words that each text contains, weighted by how rare they are on the
        site."""
        asked = without_stop_words(question, context.asked_in)
        if context.agent_id is not None:
            try:
                return await self._keywords.coverage(context.agent_id, context.agent.language, asked, texts)
            except IndexUnavailable as error:
                log.warning("passages.coverage_away", reason=str(error))
        return plain_coverage(asked, texts)

    def _is_embedded(self, context: AnswerContext, source: Source) -> bool:
        return covers(self._embedder.reads, context.asked_in, source.language)

    async def _nearness(self, question: str, looks: Sequence[Looks]) -> dict[Looks, Nearness]:
        texts = [question, *(text for look in looks for text in look)]
        if self._tokens is None:
            vectors, matches = await self._meanings(texts), list[TokenMatch]()
        else:
            read = await _remembered(texts, self._token_vectors, self._tokens.embed_tokens)
            vectors = {text: each.meaning for text, each in read.items()}
            for text, vector in vectors.items():
                self._vectors.keep(text, vector)
            matches = token_matches(read[question], [(read[text], read[place]) for text, place in looks])
        cosines = iter(_cosines(vectors[question], [vectors[text] for look in looks for text in look]))
        return {
            look: Nearness(next(cosines), next(cosines), match) for look, match in itertools.zip_longest(looks, matches)
        }

    async def _meanings(self, texts: Sequence[str]) -> dict[str, Vector]:
        async def embed(missing: Sequence[str]) -> list[Vector]:
            return [array("f", numbers) for numbers in await self._embedder.embed(missing)]

        return await _remembered(texts, self._vectors, embed)


async def _remembered(
    texts: Sequence[str], known: RecentValues[str, Read], embed: Callable[[Sequence[str]], Awaitable[list[Read]]]
) -> dict[str, Read]:
    """What the embedder returns for each text; it is called only for those not in `known`."""
    read = known.get_all(texts)
    missing = [text for text in dict.fromkeys(texts) if text not in read]
    for text, value in zip(missing, await embed(missing) if missing else [], strict=True):
        read[text] = value
        known.keep(text, value)
    return read


def _miss_embedder(context: AnswerContext, error: EmbedderUnavailable) -> None:
    log.warning("passages.embedder_away", reason=str(error))
    context.missing.add("embedder")


def _cosines(question: Vector, texts: Sequence[Vector]) -> list[float]:
    cosines: list[float] = (np.array(texts, dtype=np.float32) @ np.asarray(question, dtype=np.float32)).tolist()
    return cosines
