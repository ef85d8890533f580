"""A reranker that needs no model: the more of the question's words a text has, the shortest apart, the better."""

import math
from collections.abc import Sequence

from app.core.errors import RerankerUnavailable
from app.core.text.words import folded_words
from app.providers.reranking.reranker import PairScore

_SHORTEST = 4  # letters: "is", "the" and "of" say nothing


class OverlapReranker:
    """The logit runs from -7 (no word) to 6 (every word), as the shipped one's does. While `is_down`, it raises."""

    reads: frozenset[str] | None = None

    def __init__(self) -> None:
        self.is_down = False

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        if self.is_down or (texts and budget_seconds <= 0):
            raise RerankerUnavailable("The reranker was told to be down, or had no time.")
        asked = {word for word in folded_words(question) if len(word) >= _SHORTEST}
        return [self._score(asked, set(folded_words(text))) for text in texts]

    @staticmethod
    def _score(asked: set[str], held: set[str]) -> PairScore:
        logit = 13 * (len(asked & held) / len(asked) if asked else 0.0) - 7
        return PairScore(logit, 1 / (1 + math.exp(-logit)))
