"""A long text is searched for part by part: a model that reads 256 tokens would never see its end.

Windows of three sentences, each one sentence on from the one before, so that neighbours share two. Neighbours of
nearly the same meaning grow together. What is left are the things that the text talks about; a sentence that asks is a
part by itself as well.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import structlog

from app.agents.retrieval_settings import RetrievalSettings
from app.core.errors import EmbedderUnavailable
from app.core.text.sentences import asks, quotables
from app.providers.embedding.embedder import Embedder
from app.providers.token_counter import TokenCounter
from app.search.retrieval import SearchQuery, Wording

log = structlog.get_logger(__name__)

_WINDOW: Final = 3  # sentences
_SAME: Final = 0.9  # cosine from which two windows say the same
_MAX_PART_TOKENS: Final = 500
_MAX_PARTS: Final = 6
_MAX_QUESTIONS: Final = 3
_SPECIAL_TOKENS: Final = 2


class LongQuestionSplitter:
    """A QueryPlanner that adds the parts of a text which the embedder cannot read at once."""

    def __init__(self, embedder: Embedder, tokens: TokenCounter) -> None:
        self._embedder = embedder
        self._tokens = tokens

    async def wordings(self, query: SearchQuery, settings: RetrievalSettings) -> Sequence[Wording]:
        readable = self._embedder.max_tokens - _SPECIAL_TOKENS
        # No token is shorter than a letter of ASCII, so that most questions need not be counted.
        is_short = query.text.isascii() and len(query.text) <= readable
        if is_short or not settings.split_long_questions or self._tokens.count(query.text) <= readable:
            return []
        sentences = [part.text for part in quotables(query.text)]
        if len(sentences) <= 1:
            return []
        try:
            parts = await self._parts(sentences, min(_MAX_PART_TOKENS, readable))
        except EmbedderUnavailable as error:
            log.warning("long_question.embedder_away", reason=str(error))
            return []
        questions = list(dict.fromkeys(sentence for sentence in sentences if asks(sentence)))[-_MAX_QUESTIONS:]
        around = [part for part in dict.fromkeys(_most_asking(parts)) if part not in questions]
        # Where something is asked outright, the words around it are not what to look for; their meaning may be.
        return [
            *(Wording(question, is_part=True) for question in questions),
            *(Wording(part, is_part=True, is_said=not questions) for part in around),
        ]

    async def _parts(self, sentences: Sequence[str], max_tokens: int) -> list[str]:
        starts = range(max(1, len(sentences) - _WINDOW + 1))
        vectors = await self._embedder.embed([" ".join(sentences[start : start + _WINDOW]) for start in starts])
        spans = [(0, _WINDOW)]
        for start, (before, here) in enumerate(pairwise(vectors), start=1):
            first, _ = spans[-1]
            grown = " ".join(sentences[first : start + _WINDOW])
            is_same = sum(a * b for a, b in zip(before, here, strict=True)) >= _SAME
            if is_same and self._tokens.count(grown) <= max_tokens:
                spans[-1] = (first, start + _WINDOW)
            else:
                spans.append((start, start + _WINDOW))
        return [" ".join(sentences[first:end]) for first, end in spans]


def _most_asking(parts: Sequence[str]) -> list[str]:
    """At most _MAX_PARTS, in order: those that ask something, else the last ones, where people put what they want."""
    asking = [part for part in parts if asks(part)]
    return (asking or list(parts))[-_MAX_PARTS:]
