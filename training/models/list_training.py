"""What teacher and student share: cross-encoders that learn from lists of one question's passages."""

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from training.models.batches import Device, Row, Tokens, by_length, padded
from training.models.encoders import MPNetCrossEncoder, Reranker
from training.models.mining import MinedData
from training.models.optimising import Optimising, computing
from training.models.pairs import AskedList, PairKey, near_miss_list, pair, question_list, row_list

_HELD_OUT_WRONG: Final = 24
_HELD_OUT_NEAR_MISSES: Final = 500
_OTHER_RIGHT: Final = 0.3  # how often a list has another of the right passages, where there are some
_NEAR_MISSES: Final = 2  # one of so many is read in an epoch
_ROWS: Final = 8  # at most one row of question sets for so many questions
_ABSENT: Final = -1e4
_REPORTED_EVERY: Final = 100
_TRAINED_AT_ONCE: Final = 256
_SCORED_AT_ONCE: Final = 65_536  # rows are made while the device reads those before

CrossEncoder = MPNetCrossEncoder | Reranker

Wrong = Callable[[int], list[int]]
"""Gives passages for one list of a question, or of a near miss."""


@dataclass(frozen=True, slots=True)
class Table:
    """Logits of lists, (lists, passages of the longest one), and `is_there` (1 where a list has so many, else 0).
    `is_answered` (lists) is 1 where the first passage is a right one, else 0. Nothing here asks the device what it has
    found, so it is never waited for."""

    lists: Sequence[AskedList]
    logits: torch.Tensor
    is_there: torch.Tensor
    is_answered: torch.Tensor
    device: Device

    def ranking_loss(self) -> torch.Tensor:
        """The cross-entropy of the right passages by a softmax over each list, 0 where no list is answered."""
        lost = -self.logits.log_softmax(1)[:, 0] * self.is_answered
        return lost.sum() / self.is_answered.sum().clamp(min=1)

    def mean(self, values: torch.Tensor) -> torch.Tensor:
        """Of a table of `values`, over the passages that are there."""
        return (values * self.is_there).sum() / self.is_there.sum()

    def filled(self, values: Sequence[float]) -> torch.Tensor:
        """A table of other `values`, those of all lists one after another."""
        return _table(self.device.put(np.asarray(values, np.float32)), self.is_there)


class ListTrained(ABC):
    """A cross-encoder, how its pairs are written as tokens, and what it loses on lists."""

    def __init__(self, encoder: CrossEncoder, pad: int, device: Device, chance: random.Random) -> None:
        self._encoder = encoder.to(device.name)
        self._pad = pad
        self._device = device
        self._chance = chance

    @abstractmethod
    def _row(self, question: Tokens, passage: Tokens) -> Row: ...

    @abstractmethod
    def _loss(self, table: Table) -> torch.Tensor: ...

    def fit(
        self, mined: MinedData, wrong: Wrong, *, others: Wrong = lambda _: [], rate: float, epochs: int, seconds: float
    ) -> None:
        """Until the epochs or the seconds end. The learning rate falls linearly to 2 % of `rate`. `others` gives a near
        miss passages beside its own."""
        optimising = Optimising(self._encoder, rate, self._device, betas=(0.9, 0.98))
        began, at_once = time.monotonic(), self._device.size(64, 2)
        for epoch, lists in self._batches(mined, wrong, others, at_once):
            done = max((time.monotonic() - began) / seconds, epoch / epochs)
            if done >= 1:
                break
            keys = [key for each in lists for key in each.keys]
            logits = self._logits(optimising.working, mined, keys, self._device.size(_TRAINED_AT_ONCE, 8))
            loss = self._loss(self._tabled(lists, logits))
            optimising.step(loss, done)
            if optimising.steps % _REPORTED_EVERY == 0:
                print(f"  step {optimising.steps}, epoch {epoch:.2f}, loss {loss.item():.3f}", flush=True)
        print(f"  {optimising.steps} steps", flush=True)

    def scores(self, mined: MinedData, keys: Iterable[PairKey]) -> dict[PairKey, float]:
        """The logit of each pair."""
        if not (keys := list(keys)):
            return {}
        encoder, at_once = computing(self._encoder, self._device).eval(), self._device.size(1_024, 16)
        starts = range(0, len(keys), _SCORED_AT_ONCE)
        with torch.no_grad():
            found = [self._logits(encoder, mined, keys[start : start + _SCORED_AT_ONCE], at_once) for start in starts]
        return dict(zip(keys, torch.cat(found).tolist(), strict=True))

    def report(self, mined: MinedData, questions: Sequence[int]) -> None:
        """How often the right passage of `questions` comes first, and how well near misses are told from them."""
        lists = [question_list(each, mined.right(each), mined.negatives[each][:_HELD_OUT_WRONG]) for each in questions]
        near = mined.near_misses(held_out=True)[:_HELD_OUT_NEAR_MISSES]
        near_keys = [key for each in near for key in near_miss_list(mined, each).keys]
        found = self.scores(mined, [*(key for each in lists for key in each.keys), *near_keys])
        first = sum(all(found[wrong] < found[each.keys[0]] for wrong in each.keys[1:]) for each in lists)
        right = np.asarray([found[each.keys[0]] for each in lists])
        missed = np.asarray([found[key] for key in near_keys])
        above = float(np.mean(right[:, None] > missed[None])) if near else 1.0
        print(f"  held out: right first {first / len(questions):.4f}, above near misses {above:.4f}", flush=True)

    def _batches(
        self, mined: MinedData, wrong: Wrong, others: Wrong, at_once: int
    ) -> Iterator[tuple[float, list[AskedList]]]:
        """Without end: how many epochs are done, and the next lists. An epoch has every question, half of the near
        misses, and at most an eighth as many rows of question sets."""
        questions, near = mined.questions(held_out=False), mined.near_misses(held_out=False)
        rows, epoch = range(len(mined.data.question_answers)), 0
        while True:
            drawn_near = self._chance.sample(near, len(near) // _NEAR_MISSES)
            drawn_rows = self._chance.sample(rows, min(len(rows), len(questions) // _ROWS))
            lists = [
                *(question_list(each, self._right(mined, each), wrong(each)) for each in questions),
                *(near_miss_list(mined, each, others(each)) for each in drawn_near),
                *(row_list(mined, each) for each in drawn_rows),
            ]
            self._chance.shuffle(lists)
            for start in range(0, len(lists), at_once):
                yield epoch + start / len(lists), lists[start : start + at_once]
            epoch += 1

    def _right(self, mined: MinedData, question: int) -> int:
        right = mined.data.questions[question].right
        return self._chance.choice(right) if self._chance.random() < _OTHER_RIGHT else right[0]

    def _logits(self, encoder: CrossEncoder, mined: MinedData, keys: Sequence[PairKey], at_once: int) -> torch.Tensor:
        def of_batch(batch: list[Row]) -> torch.Tensor:
            found: torch.Tensor = encoder(*padded(batch, self._device, self._pad))
            return found

        return by_length([self._row(*pair(mined, key)) for key in keys], at_once, self._device, of_batch)

    def _tabled(self, lists: Sequence[AskedList], logits: torch.Tensor) -> Table:
        lengths = np.asarray([len(each.keys) for each in lists])
        is_there = self._device.put((np.arange(lengths.max())[None] < lengths[:, None]).astype(np.float32))
        is_answered = self._device.put(np.asarray([each.is_answered for each in lists], np.float32))
        return Table(lists, _table(logits, is_there), is_there, is_answered, self._device)


def _table(values: torch.Tensor, is_there: torch.Tensor) -> torch.Tensor:
    return torch.full_like(is_there, _ABSENT).masked_scatter(is_there > 0, values)
