"""The reranker learns from the teacher's logits."""

import random
from typing import Final

import torch
from torch.nn import functional

from training.models.batches import PAD, Device, Row, Tokens, reranker_row
from training.models.encoders import Reranker
from training.models.list_training import ListTrained, Table
from training.models.pairs import Scores

_RANKING_SHARE: Final = 0.25
_LOGIT_SHARE: Final = 0.15
_FARTHEST_LOGIT: Final = 8.0  # of the teacher's; beyond it a passage is no more right or wrong


class Student(ListTrained):
    """`scores` has the teacher's logits of all pairs that it reads in training."""

    def __init__(self, encoder: Reranker, scores: Scores, device: Device, chance: random.Random) -> None:
        super().__init__(encoder, PAD, device, chance)
        self._scores = scores

    def _row(self, question: Tokens, passage: Tokens) -> Row:
        return reranker_row(question, passage)

    def _loss(self, table: Table) -> torch.Tensor:
        """The divergence of each list's softmax from the teacher's and, weaker, the softmax of the right passage and
        the distance to the teacher's logits."""
        taught = table.filled([self._scores[key] for each in table.lists for key in each.keys])
        distance = (table.logits - taught.clamp(-_FARTHEST_LOGIT, _FARTHEST_LOGIT)).square()
        divergence = functional.kl_div(table.logits.log_softmax(1), taught.softmax(1), reduction="batchmean")
        return divergence + _RANKING_SHARE * table.ranking_loss() + _LOGIT_SHARE * table.mean(distance)
