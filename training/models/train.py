"""`python -m training.models.train`: trains reranker and embedder, by way of a teacher that both learn from.

Negatives are mined with the embedder as it is, and those that the shipped reranker finds better than the right passage
are dropped, for most of them answer the question as well. The teacher, which reads question and passage together and
is too slow to ship, learns from what is left. `--seconds` bounds what follows; where they are short, trainings end
early, each with its learning rate run down.
"""

import argparse
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch

from training.models.batches import Device, read_tokenizer, teacher_vocabulary
from training.models.distillation import Distillation
from training.models.encoders import Embedder, Reranker
from training.models.list_training import ListTrained
from training.models.mining import MinedData, mined
from training.models.pairs import AskedList, PairKey, Scores, near_miss_list, question_list, row_list
from training.models.starting_weights import (
    EMBEDDER_NAMES,
    RERANKER_NAMES,
    embedder_from,
    reranker_from,
    save,
    teacher_from,
)
from training.models.student import Student
from training.models.teacher import Teacher
from training.models.training_data import TrainingData

_SEED: Final = 1
_HELD_OUT_QUESTIONS: Final = 1_200
# Of the seconds; the reranker has what the others leave.
_TEACHER_SHARE, _EMBEDDER_SHARE = 0.42, 0.15
_REPORT_SECONDS: Final = 10.0  # for the report after the reranker's training, and after the embedder's
_TEACHER_RATE, _STUDENT_RATE = 4e-5, 1.5e-4
_TEACHER_EPOCHS, _STUDENT_EPOCHS = 3, 8
_TEACHER_WRONG, _STUDENT_WRONG, _NEAR_MISS_WRONG = 6, 11, 7  # a list
_NEAREST: Final = 20  # of a question, from which lists are drawn
_NEAREST_MISSED: Final = 12  # of a near miss
_ALWAYS: Final = 3
_FALSE_BY: Final = 0.5  # logits above the right passage, and above 0


Passages = Mapping[int, list[int]]
"""Of each question, or near miss, the passages beside its own."""


class Training:
    """Of `mined`, with one source of chance."""

    def __init__(self, data: MinedData, device: Device, chance: random.Random) -> None:
        self._data = data
        self._device = device
        self._chance = chance
        self._questions = data.questions(held_out=False)
        self._near_misses = data.near_misses(held_out=False)
        held_out = data.questions(held_out=True)
        chance.shuffle(held_out)
        self._held_out = held_out[:_HELD_OUT_QUESTIONS]

    def hard(self, reranker: Reranker) -> Passages:
        """Of each question the nearest passages, best first as `reranker` sees them, without those that it finds
        better than the right one, if others are left."""
        student = Student(reranker, {}, self._device, self._chance)
        self._report(student)
        scores = student.scores(self._data, self._nearest_keys())
        hard = {question: self._without_false(question, scores) for question in self._questions}
        dropped = sum(len(self._near(each)) - len(hard[each]) for each in self._questions)
        print(f"  {dropped} negatives dropped", flush=True)
        return hard

    def taught(self, teacher: Teacher, hard: Passages, seconds: float) -> Scores:
        """Train the teacher; its logits of each question's right passages and of the nearest ones, of near misses and
        of rows of question sets."""
        print("teacher", flush=True)
        teacher.fit(
            self._data,
            lambda question: self._hardest(hard[question], _TEACHER_WRONG),
            rate=_TEACHER_RATE,
            epochs=_TEACHER_EPOCHS,
            seconds=seconds * _TEACHER_SHARE,
        )
        self._report(teacher)
        return self._scored(teacher)

    def rerank(self, reranker: Reranker, scores: Scores, seconds: float) -> None:
        print("reranker", flush=True)
        student = Student(reranker, scores, self._device, self._chance)
        hard = {question: self._best_first(question, scores) for question in self._questions}
        missed = {near_miss: self._missed_by_teacher(near_miss, scores) for near_miss in self._near_misses}
        student.fit(
            self._data,
            lambda question: self._hardest(hard[question], _STUDENT_WRONG),
            others=lambda near_miss: self._hardest(missed[near_miss], _NEAR_MISS_WRONG),
            rate=_STUDENT_RATE,
            epochs=_STUDENT_EPOCHS,
            seconds=seconds,
        )
        self._report(student)

    def distil(self, embedder: Embedder, scores: Scores, seconds: float) -> None:
        print("embedder", flush=True)
        distillation = Distillation(embedder, self._device, self._chance)
        if self._held_out:
            distillation.report(self._data, self._held_out)
        hard = {question: self._best_first(question, scores) for question in self._questions}
        distillation.fit(self._data, hard, scores, seconds)
        if self._held_out:
            distillation.report(self._data, self._held_out)

    def _report(self, model: ListTrained) -> None:
        if self._held_out:
            model.report(self._data, self._held_out)

    def _hardest(self, hard: Sequence[int], count: int) -> list[int]:
        """`count` of them, the first three always."""
        first, others = hard[:_ALWAYS], hard[_ALWAYS:]
        return [*first, *self._chance.sample(others, min(count - _ALWAYS, len(others)))]

    def _near(self, question: int) -> list[int]:
        return self._data.negatives[question][:_NEAREST]

    def _nearest_keys(self) -> Iterable[PairKey]:
        for question in self._questions:
            yield from question_list(question, self._data.right(question), self._near(question)).keys

    def _near_miss_list(self, near_miss: int) -> AskedList:
        return near_miss_list(self._data, near_miss, self._data.nearest[near_miss][:_NEAREST_MISSED])

    def _scored(self, teacher: Teacher) -> Scores:
        """A list may have another of the right passages, which is as right as the first."""
        near = (self._near_miss_list(each) for each in self._near_misses)
        rows = (row_list(self._data, each) for each in range(len(self._data.data.question_answers)))
        others = (key for lists in (near, rows) for each in lists for key in each.keys)
        scores = teacher.scores(self._data, [*self._nearest_keys(), *others])
        for question in self._questions:
            right = scores[PairKey("question", question, self._data.right(question))]
            for passage in self._data.data.questions[question].right:
                scores[PairKey("question", question, passage)] = right
        return scores

    def _best_first(self, question: int, scores: Scores) -> list[int]:
        """The nearest passages, in the order of the scores."""
        return sorted(
            self._near(question), key=lambda passage: scores[PairKey("question", question, passage)], reverse=True
        )

    def _missed_by_teacher(self, near_miss: int, scores: Scores) -> list[int]:
        _, *others = self._near_miss_list(near_miss).keys
        return [key.told for key in sorted(others, key=scores.__getitem__, reverse=True)]

    def _without_false(self, question: int, scores: Scores) -> list[int]:
        """Such as do not seem right; all, where there are too few."""
        right = scores[PairKey("question", question, self._data.right(question))]
        limit = max(0.0, right + _FALSE_BY)
        ranked = self._best_first(question, scores)
        kept = [each for each in ranked if scores[PairKey("question", question, each)] <= limit]
        return kept if len(kept) >= _TEACHER_WRONG else ranked


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    device, chance = Device.best(), random.Random(_SEED)
    np.random.seed(_SEED)
    torch.manual_seed(_SEED)
    torch.backends.cuda.enable_cudnn_sdp(False)  # it would plan anew for each size of a batch
    tokenizer = read_tokenizer(arguments.base / "embedder")
    embedder = embedder_from(arguments.base / "embedder").to(device.name)
    reranker = reranker_from(arguments.base / "reranker")
    data = mined(TrainingData.read(arguments.data), tokenizer, embedder, device)
    print(f"mined {sum(map(bool, data.negatives))} questions on {device.name}", flush=True)
    training = Training(data, device, chance)
    hard = training.hard(reranker)
    seconds: float = arguments.seconds
    ends = time.monotonic() + seconds

    def seconds_left(reserved: float) -> float:
        return max(1.0, ends - time.monotonic() - reserved - _REPORT_SECONDS)

    vocabulary = teacher_vocabulary(tokenizer, read_tokenizer(arguments.teacher))
    teacher = Teacher(teacher_from(arguments.teacher), vocabulary, device, chance)
    scores = training.taught(teacher, hard, seconds)
    del teacher
    training.rerank(reranker, scores, seconds_left(seconds * _EMBEDDER_SHARE if arguments.embedder else 0))
    save(reranker, RERANKER_NAMES, arguments.out / "reranker.safetensors")
    if arguments.embedder:
        training.distil(embedder, scores, seconds_left(0))
        save(embedder, EMBEDDER_NAMES, arguments.out / "embedder.safetensors")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(".venv/training/data.json.xz"))
    parser.add_argument("--teacher", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--base", type=Path, default=Path("app/weights"), help="the two folders to start from")
    parser.add_argument("--seconds", type=float, default=575, help="for all that follows the mining")
    parser.add_argument("--embedder", action="store_true", help="train the embedder as well")
    parser.add_argument("--out", type=Path, default=Path(".venv/training"), help="a folder")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
