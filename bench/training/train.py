"""`python -m bench.training.train`: trains reranker and embedder, by way of a teacher that both learn from.

Negatives are mined with the embedder as it is. The teacher, which reads question and passage together and is too slow
to ship, learns from them in two phases: after the first, those that it finds better than the right passage are
dropped, for most of them answer the question as well. `--seconds` bounds what follows the mining; where they are short,
the phases end early, each with its learning rate run down.
"""

import argparse
import random
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch

from bench.training.batches import Device, read_tokenizer, teacher_vocabulary
from bench.training.distillation import Distillation
from bench.training.encoders import Embedder, Reranker
from bench.training.list_training import ListTrained
from bench.training.mining import MinedData, mined
from bench.training.pairs import PairKey, Scores, near_miss_list, question_list, row_list
from bench.training.starting_weights import (
    EMBEDDER_NAMES,
    RERANKER_NAMES,
    embedder_from,
    reranker_from,
    save,
    teacher_from,
)
from bench.training.student import Student
from bench.training.teacher import Teacher
from bench.training.training_data import TrainingData

_SEED: Final = 1
_HELD_OUT_QUESTIONS: Final = 1_200
# Of the seconds; the reranker has what the teacher and its scoring leave.
_FIRST_SHARE, _SECOND_SHARE, _EMBEDDER_SHARE = 0.125, 0.3, 0.15
_REPORT_SECONDS: Final = 20.0  # for the reports after the reranker's training, and after the embedder's
_FIRST_RATE, _SECOND_RATE, _STUDENT_RATE = 4e-5, 3e-5, 1.5e-4
_FIRST_EPOCHS, _SECOND_EPOCHS, _STUDENT_EPOCHS = 1, 2, 8
_FIRST_WRONG, _SECOND_WRONG, _STUDENT_WRONG = 5, 6, 11  # a list
_DRAWN_FROM: Final = 20
_SCORED_FIRST: Final = 10
_SCORED: Final = 14
_ALWAYS: Final = 3
_FALSE_BY: Final = 0.5  # logits above the right passage, and above 0


class Training:
    """Of `mined`, with one source of chance."""

    def __init__(self, data: MinedData, device: Device, chance: random.Random) -> None:
        self._data = data
        self._device = device
        self._chance = chance
        self._questions = data.questions(held_out=False)
        held_out = data.questions(held_out=True)
        chance.shuffle(held_out)
        self._held_out = held_out[:_HELD_OUT_QUESTIONS]

    def taught(self, teacher: Teacher, seconds: float) -> Scores:
        """Train the teacher; its logits of each question's right passages and of the nearest ones, of near misses and
        of rows of question sets."""
        print("teacher, first phase", flush=True)
        first_seconds, second_seconds = seconds * _FIRST_SHARE, seconds * _SECOND_SHARE
        teacher.fit(self._data, self._drawn, rate=_FIRST_RATE, epochs=_FIRST_EPOCHS, seconds=first_seconds)
        self._report(teacher)
        scores = teacher.scores(self._data, self._nearest_keys(_SCORED_FIRST))
        hard = {question: self._without_false(question, scores) for question in self._questions}
        dropped = sum(len(self._data.negatives[each][:_SCORED]) - len(hard[each]) for each in self._questions)
        print(f"  {dropped} negatives dropped\nteacher, second phase", flush=True)
        teacher.fit(
            self._data,
            lambda question: self._hardest(hard[question], _SECOND_WRONG),
            rate=_SECOND_RATE,
            epochs=_SECOND_EPOCHS,
            seconds=second_seconds,
        )
        self._report(teacher)
        return self._scored(teacher)

    def rerank(self, reranker: Reranker, scores: Scores, seconds: float) -> None:
        print("reranker", flush=True)
        student = Student(reranker, scores, self._device, self._chance)
        self._report(student)
        hard = {question: self._by_teacher(question, scores, _SCORED) for question in self._questions}
        student.fit(
            self._data,
            lambda question: self._hardest(hard[question], _STUDENT_WRONG),
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
        hard = {question: self._by_teacher(question, scores, _SCORED) for question in self._questions}
        distillation.fit(self._data, hard, scores, seconds)
        if self._held_out:
            distillation.report(self._data, self._held_out)

    def _report(self, model: ListTrained) -> None:
        if self._held_out:
            model.report(self._data, self._held_out)

    def _drawn(self, question: int) -> list[int]:
        near = self._data.negatives[question][:_DRAWN_FROM]
        return self._chance.sample(near, min(_FIRST_WRONG, len(near)))

    def _hardest(self, hard: Sequence[int], count: int) -> list[int]:
        """`count` of them, the first three always."""
        first, others = hard[:_ALWAYS], hard[_ALWAYS:]
        return [*first, *self._chance.sample(others, min(count - _ALWAYS, len(others)))]

    def _nearest_keys(self, count: int) -> Iterable[PairKey]:
        for question in self._questions:
            yield from question_list(question, self._data.right(question), self._data.negatives[question][:count]).keys

    def _scored(self, teacher: Teacher) -> Scores:
        """A list may have another of the right passages, which is as right as the first."""
        near = (near_miss_list(self._data, each) for each in self._data.near_misses(held_out=False))
        rows = (row_list(self._data, each) for each in range(len(self._data.data.question_answers)))
        others = (key for lists in (near, rows) for each in lists for key in each.keys)
        scores = teacher.scores(self._data, [*self._nearest_keys(_SCORED), *others])
        for question in self._questions:
            right = scores[PairKey("question", question, self._data.right(question))]
            for passage in self._data.data.questions[question].right:
                scores[PairKey("question", question, passage)] = right
        return scores

    def _by_teacher(self, question: int, scores: Scores, count: int) -> list[int]:
        """The nearest passages, best first as the teacher sees them."""
        near = self._data.negatives[question][:count]
        return sorted(near, key=lambda passage: scores[PairKey("question", question, passage)], reverse=True)

    def _without_false(self, question: int, scores: Scores) -> list[int]:
        """The nearest, those that were scored first; among these only such as do not seem right, if there are any."""
        right = scores[PairKey("question", question, self._data.right(question))]
        limit = max(0.0, right + _FALSE_BY)
        ranked = self._by_teacher(question, scores, _SCORED_FIRST)
        kept = [each for each in ranked if scores[PairKey("question", question, each)] <= limit]
        near = self._data.negatives[question]
        return [*(kept or near[:_SCORED_FIRST]), *near[_SCORED_FIRST:_SCORED]]


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    device, chance = Device.best(), random.Random(_SEED)
    np.random.seed(_SEED)
    torch.manual_seed(_SEED)
    tokenizer = read_tokenizer(arguments.base / "embedder")
    embedder = embedder_from(arguments.base / "embedder").to(device.name)
    reranker = reranker_from(arguments.base / "reranker")
    data = mined(TrainingData.read(arguments.data), tokenizer, embedder, device)
    print(f"mined {sum(map(bool, data.negatives))} questions on {device.name}", flush=True)
    seconds: float = arguments.seconds
    ends = time.monotonic() + seconds

    def seconds_left(reserved: float) -> float:
        return max(1.0, ends - time.monotonic() - reserved - _REPORT_SECONDS)

    vocabulary = teacher_vocabulary(tokenizer, read_tokenizer(arguments.teacher))
    teacher = Teacher(teacher_from(arguments.teacher), vocabulary, device, chance)
    training = Training(data, device, chance)
    scores = training.taught(teacher, seconds)
    del teacher
    training.rerank(reranker, scores, seconds_left(seconds * _EMBEDDER_SHARE))
    save(reranker, RERANKER_NAMES, arguments.out / "reranker.safetensors")
    training.distil(embedder, scores, seconds_left(0))
    save(embedder, EMBEDDER_NAMES, arguments.out / "embedder.safetensors")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(".venv/training/data.json.xz"))
    parser.add_argument("--teacher", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--base", type=Path, default=Path("app/weights"), help="the two folders to start from")
    parser.add_argument("--seconds", type=float, default=575, help="for all that follows the mining")
    parser.add_argument("--out", type=Path, default=Path(".venv/training"), help="a folder")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
