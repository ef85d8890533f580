"""The teacher: a cross-encoder that learns to put a question's passage before those mined, and near misses low."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from bench.training.batches import Device, Tokens, by_length, padded, teacher_row
from bench.training.encoders import CrossEncoder
from bench.training.mining import MinedData
from bench.training.optimising import Optimising

WRONG_A_LIST: Final = 7
_HELD_OUT_WRONG: Final = 24
_HELD_OUT_NEAR_MISSES: Final = 500
_OTHER_RIGHT: Final = 0.3  # how often a list has another of the right passages, where there are some
_RIGHT_WEIGHT: Final = 2.0
_BINARY_SHARE: Final = 0.5
_ABSENT: Final = -1e4
_REPORTED_EVERY: Final = 100

Pair = tuple[Tokens, Tokens]
Wrong = Callable[[int], list[int]]
"""Gives a question's wrong passages for one list."""


@dataclass(frozen=True, slots=True)
class _List:
    """`passages` of one question, the right one first where it `is_answered`."""

    question: Tokens
    passages: list[Tokens]
    is_answered: bool


class Teacher:
    """Reads a question and a passage together; `vocabulary` has its numbers of the embedder's tokens."""

    def __init__(self, encoder: CrossEncoder, vocabulary: Tokens, device: Device, chance: random.Random) -> None:
        self._encoder = encoder.to(device.name)
        self._vocabulary = vocabulary
        self._device = device
        self._chance = chance

    def fit(self, mined: MinedData, wrong: Wrong, *, rate: float, epochs: int, seconds: float) -> None:
        """A softmax over each list and, weaker, a yes or no for each passage; until the epochs or the seconds end.
        The learning rate falls linearly to 2 % of `rate`."""
        self._encoder.train()
        optimising = Optimising(self._encoder, rate, is_on_gpu=self._device.is_gpu, betas=(0.9, 0.98))
        began, at_once = time.monotonic(), self._device.size(64, 2)
        for epoch, lists in self._batches(mined, wrong, at_once):
            done = max((time.monotonic() - began) / seconds, epoch / epochs)
            if done >= 1:
                break
            loss = self._loss(lists)
            optimising.step(loss, done)
            if optimising.steps % _REPORTED_EVERY == 0:
                print(f"  step {optimising.steps}, epoch {epoch:.2f}, loss {loss.item():.3f}", flush=True)
        print(f"  {optimising.steps} steps", flush=True)

    def scores(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float32]:
        """The logit of each pair of question and passage."""
        self._encoder.eval()
        if not pairs:
            return np.empty(0, np.float32)
        with torch.no_grad():
            found: npt.NDArray[np.float32] = self._logits(pairs, self._device.size(1_024, 16)).cpu().numpy()
        return found

    def report(self, mined: MinedData, questions: Sequence[int]) -> None:
        """How often the right passage of `questions` comes first, and how well near misses are told from them."""
        texts, near = mined.texts, mined.near_misses(held_out=True)[:_HELD_OUT_NEAR_MISSES]
        lists = [[mined.right(each), *mined.negatives[each][:_HELD_OUT_WRONG]] for each in questions]
        found = self.scores(
            [
                (texts.questions[question], texts.placed[each])
                for question, passages in zip(questions, lists, strict=True)
                for each in passages
            ]
        )
        by_list = np.split(found, np.cumsum([len(passages) for passages in lists])[:-1])
        first = sum(bool((each[1:] < each[0]).all()) for each in by_list)
        right = np.asarray([each[0] for each in by_list])
        missed = self.scores(
            [(texts.near_misses[each], texts.placed[mined.data.near_misses[each].passage]) for each in near]
        )
        above = float(np.mean(right[:, None] > missed[None])) if near else 1.0
        print(f"  held out: right first {first / len(questions):.4f}, above near misses {above:.4f}", flush=True)

    def _batches(self, mined: MinedData, wrong: Wrong, at_once: int) -> Iterator[tuple[float, list[_List]]]:
        """Without end: how many epochs are done, and the next lists. An epoch has every question, half of the near
        misses, and at most a quarter as many rows of question sets."""
        questions, near = mined.questions(held_out=False), mined.near_misses(held_out=False)
        rows, epoch = range(len(mined.data.question_answers)), 0
        while True:
            items = [
                *((self._list, question) for question in questions),
                *((_near_miss, each) for each in self._chance.sample(near, len(near) // 2)),
                *((_question_answer, each) for each in self._chance.sample(rows, min(len(rows), len(questions) // 4))),
            ]
            self._chance.shuffle(items)
            for start in range(0, len(items), at_once):
                batch = items[start : start + at_once]
                yield epoch + start / len(items), [build(mined, index, wrong) for build, index in batch]
            epoch += 1

    def _list(self, mined: MinedData, question: int, wrong: Wrong) -> _List:
        right = mined.data.questions[question].right
        shown = self._chance.choice(right) if self._chance.random() < _OTHER_RIGHT else right[0]
        placed = mined.texts.placed
        return _List(mined.texts.questions[question], [placed[each] for each in (shown, *wrong(question))], True)

    def _loss(self, lists: Sequence[_List]) -> torch.Tensor:
        logits = self._logits(
            [(each.question, passage) for each in lists for passage in each.passages], self._device.size(256, 8)
        )
        lengths = [len(each.passages) for each in lists]
        table = logits.new_full((len(lists), max(lengths)), _ABSENT)
        is_there = torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]
        there = is_there.to(self._device.name)
        table = table.masked_scatter(there, logits)
        label = torch.zeros_like(table)
        label[:, 0] = torch.tensor([float(each.is_answered) for each in lists])
        loss = _BINARY_SHARE * functional.binary_cross_entropy_with_logits(
            table[there], label[there], weight=torch.where(label > 0, _RIGHT_WEIGHT, 1.0)[there]
        )
        ranked = torch.tensor([each.is_answered and len(each.passages) > 1 for each in lists], device=self._device.name)
        if ranked.any():
            first = torch.zeros(int(ranked.sum()), dtype=torch.long, device=self._device.name)
            loss = loss + functional.cross_entropy(table[ranked], first)
        return loss

    def _logits(self, pairs: Sequence[Pair], at_once: int) -> torch.Tensor:
        def of_batch(batch: list[Tokens]) -> torch.Tensor:
            tokens, is_token = padded(batch, self._device, for_teacher=True)
            with self._device.half_precision():
                return self._encoder(tokens, is_token)

        return by_length([teacher_row(*pair, self._vocabulary) for pair in pairs], at_once, of_batch)


def _near_miss(mined: MinedData, index: int, wrong: Wrong) -> _List:
    passage = mined.data.near_misses[index].passage
    return _List(mined.texts.near_misses[index], [mined.texts.placed[passage]], False)


def _question_answer(mined: MinedData, index: int, wrong: Wrong) -> _List:
    texts = mined.texts
    passages = [texts.qa_right[index], *texts.qa_wrong[index][:WRONG_A_LIST]]
    return _List(texts.qa_questions[index], passages, True)
