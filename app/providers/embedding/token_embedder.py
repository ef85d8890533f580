"""Port: texts become a vector for each of their tokens."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """A text as the model reads it. `meaning` is what an Embedder gives for it. `tokens` are the numbers of its tokens
    in the model's vocabulary, special ones left out; each row of `directions` says where one of them points, as whole
    numbers from -127 to 127 of no certain length: a quarter of what single precision takes.
    """

    meaning: "array[float]"
    tokens: tuple[int, ...]
    directions: npt.NDArray[np.int8]

    @property
    def units(self) -> npt.NDArray[np.float32]:
        """One row of length 1 for each token."""
        rows = self.directions.astype(np.float32)
        lengths = np.sqrt(np.einsum("td,td->t", rows, rows))
        return np.asarray(rows / np.maximum(lengths, 1e-9)[:, np.newaxis], dtype=np.float32)


class TokenEmbedder(Protocol):
    async def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """One for each text, in order. Raises EmbedderUnavailable."""
        ...
