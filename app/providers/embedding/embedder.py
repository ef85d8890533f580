"""Port: texts become vectors."""

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Turns questions and chunks into unit vectors of one space."""

    @property
    def model_id(self) -> str:
        """Names model and precision; vectors of different ids never meet."""
        ...

    @property
    def reads(self) -> frozenset[str] | None:
        """The languages that it reads well enough to search (BCP 47 primary subtags); None: no language is known to
        be foreign to it."""
        ...

    @property
    def knows(self) -> frozenset[str] | None:
        """Those of `reads` whose sentences it knows, not the words alone: it can compare what two of them claim."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """What one text may hold, in the tokens of `TokenCounter`, special tokens included."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of length 1 for each text, in order.

        Raises EmbedderUnavailable.
        """
        ...


class WrappedEmbedder:
    """What a wrapper says of itself is what the embedder inside says; how it embeds is its own."""

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
