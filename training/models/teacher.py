"""The teacher: a cross-encoder that learns to put a question's passage before those mined, and near misses low."""

import random
from typing import Final

import torch
from torch.nn import functional

from training.models.batches import TEACHER_PAD, Device, Row, Tokens, teacher_row
from training.models.encoders import MPNetCrossEncoder
from training.models.list_training import ListTrained, Table

_RIGHT_WEIGHT: Final = 2.0
_BINARY_SHARE: Final = 0.5


class Teacher(ListTrained):
    """`vocabulary` has its numbers of the shipped models' tokens."""

    def __init__(self, encoder: MPNetCrossEncoder, vocabulary: Tokens, device: Device, chance: random.Random) -> None:
        super().__init__(encoder, TEACHER_PAD, device, chance)
        self._vocabulary = vocabulary

    def _row(self, question: Tokens, passage: Tokens) -> Row:
        return teacher_row(question, passage, self._vocabulary)

    def _loss(self, table: Table) -> torch.Tensor:
        """A softmax over each list and, weaker, a yes or no for each passage."""
        label = torch.zeros_like(table.logits)
        label[:, 0] = table.is_answered
        weight = torch.where(label > 0, _RIGHT_WEIGHT, 1.0)
        yes_or_no = functional.binary_cross_entropy_with_logits(table.logits, label, weight=weight, reduction="none")
        return table.ranking_loss() + _BINARY_SHARE * table.mean(yes_or_no)
