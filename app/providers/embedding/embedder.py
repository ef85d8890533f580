"""Ports: turn texts into vectors, one for a text or one for each of its tokens."""

from array import array
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from app.kit.tracing import Span, Value, span


@dataclass(frozen=True, slots=True)
class Gloss:
    """`text` is a text in the language `said_in`, word for word in `language` (BCP 47 primary subtags)."""

    text: str
    language: str
    said_in: str


class Embedder(Protocol):
    """Turns questions and chunks into unit vectors of one space."""

    @property
    def model_id(self) -> str:
        """Names model and precision; vectors of different ids are never compared."""
        ...

    @property
    def reads(self) -> frozenset[str] | None:
        """The languages that it reads well enough to search (BCP 47 primary subtags); None if they are not known."""
        ...

    @property
    def knows(self) -> frozenset[str] | None:
        """Those of `reads` in which it understands whole sentences, not only words, and so can compare two
        statements."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """The most tokens of one text, as `TokenCounter` counts them, including special tokens."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of length 1 for each text, in order.

        Raises EmbedderUnavailable.
        """
        ...

    async def gloss(self, text: str) -> Gloss | None:
        """The text word for word in a language that it knows; None if it knows the text's own language, has no list for
        it, or the language is not clear. Raises EmbedderUnavailable."""
        ...


class WrappedEmbedder:
    """A wrapper that passes on the properties of the embedder inside; subclasses define how to embed."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    @property
    def reads(self) -> frozenset[str] | None:
        return self._embedder.reads

    @property
    def knows(self) -> frozenset[str] | None:
        return self._embedder.knows

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    async def gloss(self, text: str) -> Gloss | None:
        return await self._embedder.gloss(text)


class TracedEmbedder(WrappedEmbedder):
    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        with embedding_span(self._embedder, texts):
            return await self._embedder.embed(texts)


def embedding_span(embedder: Embedder, texts: Sequence[str]) -> AbstractContextManager[Span]:
    """A span around one call for `texts`. A model id without a host is that of the shipped model."""
    host, _, model = embedder.model_id.partition("/")
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": "openai" if model else "docent",
        "gen_ai.request.model": model or host,
        "gen_ai.embeddings.dimension.count": embedder.dimensions,
        "docent.texts": len(texts),
    }
    if model:
        attributes["server.address"] = host
    return span(f"embeddings {model or host}", attributes, kind="client" if model else "internal")


_SHORTEST: Final = 1e-9


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """A text as the model reads it. `meaning` is the vector that an Embedder returns for it. `tokens` are the ids of
    its tokens without special ones. `directions` has one row for each token, as whole numbers from -127 to 127, a
    quarter of the size of single precision; `lengths` are those of its rows, above 0."""

    meaning: "array[float]"
    tokens: npt.NDArray[np.int32]
    directions: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.float32]

    @classmethod
    def from_states(
        cls, meaning: "array[float]", tokens: Sequence[int], states: npt.NDArray[np.float32]
    ) -> "TokenVectors":
        """`states` has a row for each token."""
        largest = np.maximum(np.abs(states).max(axis=1, keepdims=True, initial=0.0), _SHORTEST)
        rows = np.rint(states * (127 / largest))
        lengths = np.maximum(np.sqrt(np.einsum("td,td->t", rows, rows)), _SHORTEST).astype(np.float32)
        return cls(meaning, np.asarray(tokens, dtype=np.int32), rows.astype(np.int8), lengths)

    @property
    def units(self) -> npt.NDArray[np.float32]:
        """One row of length 1 for each token."""
        return np.asarray(self.directions / self.lengths[:, np.newaxis], dtype=np.float32)


class TokenEmbedder(Protocol):
    async def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """One for each text, in order. Raises EmbedderUnavailable."""
        ...
