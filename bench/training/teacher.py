"""The teacher: a cross-encoder that learns to put a question's passage before those mined, and near misses low."""

import random
from typing import Final

import torch
from torch.nn import functional

from bench.training.batches import TEACHER_PAD, Device, Tokens, teacher_row
from bench.training.encoders import MPNetCrossEncoder
from bench.training.list_training import ListTrained, Table

_RIGHT_WEIGHT: Final = 2.0
_BINARY_SHARE: Final = 0.5


class Teacher(ListTrained):
    """`vocabulary` has its numbers of the shipped models' tokens."""

    def __init__(self, encoder: MPNetCrossEncoder, vocabulary: Tokens, device: Device, chance: random.Random) -> None:
        super().__init__(encoder, TEACHER_PAD, device, chance)
        self._vocabulary = vocabulary

    def _row(self, question: Tokens, passage: Tokens) -> Tokens:
        return teacher_row(question, passage, self._vocabulary)

    def _loss(self, table: Table) -> torch.Tensor:
        """A softmax over each list and, weaker, a yes or no for each passage."""
        label = torch.zeros_like(table.logits)
        label[:, 0] = torch.tensor([float(each.is_answered) for each in table.lists])
        weight = torch.where(label > 0, _RIGHT_WEIGHT, 1.0)
        there = table.is_there
        yes_or_no = functional.binary_cross_entropy_with_logits(table.logits[there], label[there], weight=weight[there])
        return table.ranking_loss() + _BINARY_SHARE * yes_or_no
