"""How near the words of a passage are to those of a question, each word by itself.

A passage that says one thing of the question in one sentence and another in the next is far from it as a whole and near
to it in its parts. So each token of the question looks for its nearest one in the passage, and the nearnesses are
averaged: the late interaction of ColBERT (Khattab and Zaharia, 2020, https://arxiv.org/abs/2004.12832).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.providers.embedding.embedder import TokenVectors


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """Mean cosines, in [-1, 1], of the question's tokens with the nearest token of the passage, and of the passage or
    its headings."""

    in_text: float
    anywhere: float


def token_matches(question: TokenVectors, passages: Sequence[tuple[TokenVectors, TokenVectors]]) -> list[TokenMatch]:
    """One for each passage, given as its text and its headings. Tokens of the question that few passages contain weigh
    up to some four times as much as those that all contain."""
    if not len(question.tokens) or not passages:
        return [TokenMatch(0.0, 0.0)] * len(passages)
    texts = {id(text): text for passage in passages for text in passage}  # those of one section share their headings
    rows = {key: row for row, key in enumerate(texts)}
    nearest, holds = _met(question, list(texts.values()))
    in_text, in_headings = ([rows[id(passage[part])] for passage in passages] for part in (0, 1))
    weights = _weights((holds[in_text] | holds[in_headings]).sum(axis=0), len(passages))
    anywhere = np.maximum(nearest[in_text], nearest[in_headings]) @ weights
    return [TokenMatch(*both) for both in zip((nearest[in_text] @ weights).tolist(), anywhere.tolist(), strict=True)]


def _met(
    question: TokenVectors, texts: Sequence[TokenVectors]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """One row per text: how near its nearest token is to each of the question's (0 for an empty text), and whether it
    contains that token. One product serves all texts: they have some thousand tokens."""
    nearest = np.zeros((len(texts), len(question.tokens)), dtype=np.float32)
    holds = np.zeros(nearest.shape, dtype=np.bool_)
    if filled := [row for row, text in enumerate(texts) if len(text.tokens)]:
        starts = np.cumsum([0, *(len(texts[row].tokens) for row in filled[:-1])])
        directions = np.concatenate([texts[row].directions for row in filled]).astype(np.float32)
        lengths = np.concatenate([texts[row].lengths for row in filled])
        nearest[filled] = np.maximum.reduceat(directions @ question.units.T / lengths[:, np.newaxis], starts)
        tokens = np.concatenate([texts[row].tokens for row in filled])
        holds[filled] = np.logical_or.reduceat(tokens[:, np.newaxis] == question.tokens, starts)
    return nearest, holds


def _weights(counts: npt.NDArray[np.int_], passages: int) -> npt.NDArray[np.float32]:
    """Weights with the sum 1, on a logarithmic scale: the fewer passages contain a token, the higher."""
    weights = 1 + np.log((passages + 1) / (counts + 1))
    return np.asarray(weights / weights.sum(), dtype=np.float32)
