"""How near the words of a passage are to those of a question, each word by itself.

A passage that says one thing of the question in one sentence and another in the next is far from it as a whole and near
to it in its parts. So each token of the question looks for its nearest one in the passage, and the nearnesses are
averaged: the late interaction of ColBERT (Khattab and Zaharia, 2020, https://arxiv.org/abs/2004.12832).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.providers.embedding.token_embedder import TokenVectors


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """Mean cosines, from -1 to 1, of the question's tokens and the nearest of the passage, and of the passage or its
    headings."""

    in_text: float
    anywhere: float


def token_matches(question: TokenVectors, passages: Sequence[tuple[TokenVectors, TokenVectors]]) -> list[TokenMatch]:
    """For each passage, given as its text and its headings. Tokens of the question that few of the passages hold weigh
    up to some four times as much as those that all of them hold."""
    if not question.tokens:
        return [TokenMatch(0.0, 0.0)] * len(passages)
    weights = _weights(question, passages)
    asked = question.units
    nearest: dict[int, npt.NDArray[np.float32]] = {}  # passages of one section share their headings
    matches: list[TokenMatch] = []
    for text, headings in passages:
        for one in (text, headings):
            if id(one) not in nearest:
                nearest[id(one)] = _nearest(asked, one)
        in_text = nearest[id(text)]
        anywhere = np.maximum(in_text, nearest[id(headings)])
        matches.append(TokenMatch(float(in_text @ weights), float(anywhere @ weights)))
    return matches


def _nearest(asked: npt.NDArray[np.float32], text: TokenVectors) -> npt.NDArray[np.float32]:
    if not text.tokens:
        return np.zeros(len(asked), dtype=np.float32)
    return np.asarray((asked @ text.units.T).max(axis=1), dtype=np.float32)


def _weights(question: TokenVectors, passages: Sequence[tuple[TokenVectors, TokenVectors]]) -> npt.NDArray[np.float32]:
    """1 for what all passages hold, and more by the logarithm of how few do; their sum is 1."""
    holding = Counter(token for text, headings in passages for token in {*text.tokens, *headings.tokens})
    counts = np.array([holding[token] for token in question.tokens], dtype=np.float32)
    weights = 1 + np.log((len(passages) + 1) / (counts + 1))
    return np.asarray(weights / weights.sum(), dtype=np.float32)
