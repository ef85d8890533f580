"""The encoders in plain PyTorch: embedder and reranker (MiniLM, 6 layers), and their teacher (MPNet, 12 layers)."""

import math
from typing import Final

import torch
from torch import nn
from torch.nn import functional

from training.models.batches import SEPARATOR

DROPOUT: Final = 0.1
_MASKED: Final = -30_000.0
_RELATIVE_BUCKETS: Final = 32  # half for what stands before
_EXACT_DISTANCES: Final = 8
_FARTHEST: Final = 128
_MPNET_POSITIONS_FROM: Final = 2


class Layer(nn.Module):
    """One transformer layer, normalised after each half (as in BERT)."""

    def __init__(self, size: int, heads: int, inner: int, epsilon: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
        self.attended, self.attended_norm = nn.Linear(size, size), nn.LayerNorm(size, eps=epsilon)
        self.widened, self.narrowed = nn.Linear(size, inner), nn.Linear(inner, size)
        self.narrowed_norm = nn.LayerNorm(size, eps=epsilon)

    def forward(self, states: torch.Tensor, bias: torch.Tensor, dropout: float) -> torch.Tensor:
        """`states` (batch, tokens, size); `bias` (batch, heads, tokens, tokens) is added to the attention's scores."""
        batch, tokens, size = states.shape
        query, key, value = (
            part(states).reshape(batch, tokens, self.heads, size // self.heads).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        mixed = self.attended(mixed.transpose(1, 2).reshape(batch, tokens, size))
        states = self.attended_norm(states + functional.dropout(mixed, dropout, dropout > 0))
        inner = self.narrowed(functional.gelu(self.widened(states)))
        return self.narrowed_norm(states + functional.dropout(inner, dropout, dropout > 0))


class MiniLM(nn.Module):
    """all-MiniLM-L6-v2's shape: states of tokens. Its word vectors stay as they are: fewer weights to overfit, and the
    part of the file that int8 hurts most is left alone."""

    SIZE: Final = 384

    def __init__(self) -> None:
        super().__init__()
        self.words, self.positions, self.types = (nn.Embedding(n, self.SIZE) for n in (30_522, 512, 2))
        self.norm = nn.LayerNorm(self.SIZE, eps=1e-12)
        self.layers = nn.ModuleList(Layer(self.SIZE, 12, 1_536, 1e-12) for _ in range(6))
        self.words.weight.requires_grad_(False)

    def states(self, tokens: torch.Tensor, is_token: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        """`tokens`, `is_token` and `types` (0 or 1) are (batch, tokens); returns (batch, tokens, 384)."""
        dropout = DROPOUT if self.training else 0.0
        states = self.norm(self.words(tokens) + self.positions.weight[: tokens.shape[1]] + self.types(types))
        states = functional.dropout(states, dropout, dropout > 0)
        return _through(self.layers, states, _padding_bias(is_token), dropout)


class Embedder(MiniLM):
    """The mean of its states is a text's vector."""

    def forward(self, tokens: torch.Tensor, is_token: torch.Tensor) -> torch.Tensor:
        """`tokens` and `is_token` (batch, tokens), [CLS] first and [SEP] last; returns (batch, tokens, 384)."""
        return self.states(tokens, is_token, torch.zeros_like(tokens)).float()


class Reranker(MiniLM):
    """With a head of one logit: how well a passage answers a question."""

    def __init__(self) -> None:
        super().__init__()
        self.pool, self.score = nn.Linear(self.SIZE, self.SIZE), nn.Linear(self.SIZE, 1)

    def forward(self, tokens: torch.Tensor, is_token: torch.Tensor) -> torch.Tensor:
        """`tokens` ([CLS] question [SEP] passage [SEP]) and `is_token` (batch, tokens); returns logits (batch). Tokens
        are of type 0 up to the first [SEP], then of type 1."""
        is_separator = (tokens == SEPARATOR).long()
        types = (is_separator.cumsum(1) - is_separator).clamp(max=1)
        return _logits(self.pool, self.score, self.states(tokens, is_token, types), self.training)


class MPNetCrossEncoder(nn.Module):
    """all-mpnet-base-v2's shape with a head of one logit: how well a passage answers a question."""

    SIZE: Final = 768

    def __init__(self) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(30_527, self.SIZE), nn.Embedding(514, self.SIZE)
        self.norm = nn.LayerNorm(self.SIZE, eps=1e-5)
        self.distances = nn.Embedding(_RELATIVE_BUCKETS, 12)
        self.distances.weight.requires_grad_(False)  # a gradient of each pair of tokens, for 384 weights
        self.layers = nn.ModuleList(Layer(self.SIZE, 12, 3_072, 1e-5) for _ in range(12))
        self.pool, self.score = nn.Linear(self.SIZE, self.SIZE), nn.Linear(self.SIZE, 1)
        for part in (self.pool, self.score):
            nn.init.normal_(part.weight, std=0.02)
            nn.init.zeros_(part.bias)

    def forward(self, tokens: torch.Tensor, is_token: torch.Tensor) -> torch.Tensor:
        """`tokens` and `is_token` (batch, tokens); returns logits (batch)."""
        dropout = DROPOUT if self.training else 0.0
        length = tokens.shape[1]
        positions = self.positions.weight[_MPNET_POSITIONS_FROM : length + _MPNET_POSITIONS_FROM]
        states = functional.dropout(self.norm(self.words(tokens) + positions), dropout, dropout > 0)
        near = self.distances(_distance_buckets(length, tokens.device)).permute(2, 0, 1)[None]
        states = _through(self.layers, states, _padding_bias(is_token).to(near.dtype) + near, dropout)
        return _logits(self.pool, self.score, states, self.training)


def _logits(pool: nn.Linear, score: nn.Linear, states: torch.Tensor, is_training: bool) -> torch.Tensor:
    """(batch): the head on the first of the states (batch, tokens, size), in 32 bits, for logits are compared."""
    dropout = DROPOUT if is_training else 0.0
    pooled = torch.tanh(functional.linear(states[:, 0].float(), pool.weight.float(), pool.bias.float()))
    pooled = functional.dropout(pooled, dropout, dropout > 0)
    return functional.linear(pooled, score.weight.float(), score.bias.float())[:, 0]


def _through(layers: nn.ModuleList, states: torch.Tensor, bias: torch.Tensor, dropout: float) -> torch.Tensor:
    batch, length, _ = states.shape
    wide = bias.to(states.dtype).expand(batch, layers[0].heads, length, length)
    for layer in layers:
        states = layer(states, wide, dropout)
    return states


def _padding_bias(is_token: torch.Tensor) -> torch.Tensor:
    return torch.zeros(is_token.shape, device=is_token.device).masked_fill(~is_token, _MASKED)[:, None, None, :]


def _distance_buckets(length: int, device: torch.device) -> torch.Tensor:
    """(length, length): the bucket of key minus query; single steps up to 8, logarithmic up to 128 (T5, MPNet)."""
    places = torch.arange(length, device=device)
    offset = places[None, :] - places[:, None]
    half, distance = _RELATIVE_BUCKETS // 2, offset.abs()
    far = torch.log(distance.float().clamp(min=1) / _EXACT_DISTANCES) / math.log(_FARTHEST / _EXACT_DISTANCES)
    bucket = (_EXACT_DISTANCES + (far * (half - _EXACT_DISTANCES)).long()).clamp(max=half - 1)
    return (offset > 0).long() * half + torch.where(distance < _EXACT_DISTANCES, distance, bucket)
