"""Port: turns texts into a vector for each of their tokens."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

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
