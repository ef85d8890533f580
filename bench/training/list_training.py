"""What teacher and student share: cross-encoders that learn from lists of one question's passages."""

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch.nn import functional

from bench.training.batches import Device, Tokens, by_length, padded
from bench.training.encoders import MPNetCrossEncoder, Reranker
from bench.training.mining import MinedData
from bench.training.optimising import Optimising
from bench.training.pairs import AskedList, PairKey, near_miss_list, pair, question_list, row_list

_HELD_OUT_WRONG: Final = 24
_HELD_OUT_NEAR_MISSES: Final = 500
_OTHER_RIGHT: Final = 0.3  # how often a list has another of the right passages, where there are some
_NEAR_MISSES: Final = 2  # one of so many is read in an epoch
_ROWS: Final = 8  # at most one row of question sets for so many questions
_ABSENT: Final = -1e4
_REPORTED_EVERY: Final = 100

Wrong = Callable[[int], list[int]]
"""Gives a question's wrong passages for one list."""


@dataclass(frozen=True, slots=True)
class Table:
    """Logits of lists, (lists, passages of the longest one); `is_there` where a list has so many. `is_ranked` (lists)
    are those with a right passage, which is the first, and wrong ones."""

    lists: Sequence[AskedList]
    logits: torch.Tensor
    is_there: torch.Tensor
    is_ranked: torch.Tensor

    def ranking_loss(self) -> torch.Tensor:
        """The cross-entropy of the right passages by a softmax over each list, 0 where no list is ranked."""
        if not self.is_ranked.any():
            return self.logits.new_zeros(())
        ranked = self.logits[self.is_ranked]
        return functional.cross_entropy(ranked, torch.zeros(len(ranked), dtype=torch.long, device=ranked.device))

    def filled(self, values: torch.Tensor) -> torch.Tensor:
        """A table of other `values`, those of all lists one after another."""
        return _table(values, self.is_there)


class ListTrained(ABC):
    """A cross-encoder, how its pairs are written as tokens, and what it loses on lists."""

    def __init__(self, encoder: MPNetCrossEncoder | Reranker, pad: int, device: Device, chance: random.Random) -> None:
        self._encoder = encoder.to(device.name)
        self._pad = pad
        self._device = device
        self._chance = chance

    @abstractmethod
    def _row(self, question: Tokens, passage: Tokens) -> Tokens: ...

    @abstractmethod
    def _loss(self, table: Table) -> torch.Tensor: ...

    def fit(self, mined: MinedData, wrong: Wrong, *, rate: float, epochs: int, seconds: float) -> None:
        """Until the epochs or the seconds end. The learning rate falls linearly to 2 % of `rate`."""
        self._encoder.train()
        optimising = Optimising(self._encoder, rate, is_on_gpu=self._device.is_gpu, betas=(0.9, 0.98))
        began, at_once = time.monotonic(), self._device.size(64, 2)
        for epoch, lists in self._batches(mined, wrong, at_once):
            done = max((time.monotonic() - began) / seconds, epoch / epochs)
            if done >= 1:
                break
            keys = [key for each in lists for key in each.keys]
            logits = self._logits(mined, keys, self._device.size(256, 8))
            loss = self._loss(_tabled(lists, logits))
            optimising.step(loss, done)
            if optimising.steps % _REPORTED_EVERY == 0:
                print(f"  step {optimising.steps}, epoch {epoch:.2f}, loss {loss.item():.3f}", flush=True)
        print(f"  {optimising.steps} steps", flush=True)

    def scores(self, mined: MinedData, keys: Iterable[PairKey]) -> dict[PairKey, float]:
        """The logit of each pair."""
        self._encoder.eval()
        if not (keys := list(keys)):
            return {}
        with torch.no_grad():
            found = self._logits(mined, keys, self._device.size(1_024, 16))
        return dict(zip(keys, found.tolist(), strict=True))

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

    def _batches(self, mined: MinedData, wrong: Wrong, at_once: int) -> Iterator[tuple[float, list[AskedList]]]:
        """Without end: how many epochs are done, and the next lists. An epoch has every question, half of the near
        misses, and at most an eighth as many rows of question sets."""
        questions, near = mined.questions(held_out=False), mined.near_misses(held_out=False)
        rows, epoch = range(len(mined.data.question_answers)), 0
        while True:
            drawn_near = self._chance.sample(near, len(near) // _NEAR_MISSES)
            drawn_rows = self._chance.sample(rows, min(len(rows), len(questions) // _ROWS))
            lists = [
                *(question_list(each, self._right(mined, each), wrong(each)) for each in questions),
                *(near_miss_list(mined, each) for each in drawn_near),
                *(row_list(mined, each) for each in drawn_rows),
            ]
            self._chance.shuffle(lists)
            for start in range(0, len(lists), at_once):
                yield epoch + start / len(lists), lists[start : start + at_once]
            epoch += 1

    def _right(self, mined: MinedData, question: int) -> int:
        right = mined.data.questions[question].right
        return self._chance.choice(right) if self._chance.random() < _OTHER_RIGHT else right[0]

    def _logits(self, mined: MinedData, keys: Sequence[PairKey], at_once: int) -> torch.Tensor:
        def of_batch(batch: list[Tokens]) -> torch.Tensor:
            tokens, is_token = padded(batch, self._device, self._pad)
            with self._device.half_precision():
                return self._encoder(tokens, is_token)

        return by_length([self._row(*pair(mined, key)) for key in keys], at_once, of_batch)


def _tabled(lists: Sequence[AskedList], logits: torch.Tensor) -> Table:
    lengths = torch.tensor([len(each.keys) for each in lists])
    is_there = (torch.arange(int(lengths.max()))[None] < lengths[:, None]).to(logits.device)
    is_ranked = torch.tensor([each.is_answered and len(each.keys) > 1 for each in lists], device=logits.device)
    return Table(lists, _table(logits, is_there), is_there, is_ranked)


def _table(values: torch.Tensor, is_there: torch.Tensor) -> torch.Tensor:
    return values.new_full(is_there.shape, _ABSENT).masked_scatter(is_there, values)
