"""An embedder that needs no model: texts that share words are near each other."""

import hashlib
import math
from array import array
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from app.core.errors import EmbedderUnavailable
from app.core.text.words import folded_words
from app.providers.embedding.embedder import Gloss, TokenVectors


class HashingEmbedder:
    """Bags of words: each word adds to one dimension, and a little to the first so that no vector is empty.

    Its tokens are words. It knows what it reads unless `knows` says less. While `is_down`, it raises. `embedded` holds
    every text that it was given. `glosser` reads other languages.
    """

    def __init__(
        self,
        *,
        dimensions: int = 256,
        max_tokens: int = 256,
        model_id: str = "hashing",
        reads: frozenset[str] | None = None,
        knows: frozenset[str] | None = None,
    ) -> None:
        self.model_id = model_id
        self.dimensions = dimensions
        self.reads = reads
        self._knows = knows
        self.max_tokens = max_tokens
        self.is_down = False
        self.embedded: list[str] = []
        self.glosser: Callable[[str], Gloss | None] = lambda text: None

    @property
    def knows(self) -> frozenset[str] | None:
        return self.reads if self._knows is None else self._knows

    def count(self, text: str) -> int:
        return len(folded_words(text))

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.is_down:
            raise EmbedderUnavailable("The embedder was told to be down.")
        self.embedded += texts
        return [self._vector(text) for text in texts]

    async def gloss(self, text: str) -> Gloss | None:
        return self.glosser(text)

    async def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Each word has a direction of its own: words are near to themselves alone."""
        return [
            TokenVectors.from_states(
                array("f", vector), [_number(word) % 2**31 for word in words], self._directions(words)
            )
            for words, vector in zip(map(folded_words, texts), await self.embed(texts), strict=True)
        ]

    def _directions(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = np.zeros((len(words), self.dimensions), dtype=np.float32)
        for row, word in zip(rows, words, strict=True):
            row[_number(word) % self.dimensions] = 1
        return rows

    def _vector(self, text: str) -> list[float]:
        vector = [0.01] + [0.0] * (self.dimensions - 1)
        for word in folded_words(text)[: self.max_tokens]:
            vector[_number(word) % self.dimensions] += 1.0
        length = math.sqrt(sum(number * number for number in vector))
        return [number / length for number in vector]


def _number(word: str) -> int:
    return int(hashlib.sha256(word.encode("utf-8", "replace")).hexdigest(), 16)
