"""`python -m bench.training.train`: trains the embedder, by way of a teacher that reads question and passage together.

Negatives are mined with the embedder as it is. The teacher learns from them in two phases: after the first, those that
it finds better than the right passage are dropped, for most of them answer the question as well. `--seconds` bounds
what follows the mining; where they are short, the phases end early, each with its learning rate run down.
"""

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch
from safetensors.torch import save_file

from bench.training.batches import Device, read_tokenizer, teacher_vocabulary
from bench.training.distillation import Distillation
from bench.training.encoders import EMBEDDER_NAMES, Embedder, cross_encoder_from, embedder_from
from bench.training.mining import MinedData, mined
from bench.training.teacher import WRONG_A_LIST, Teacher
from bench.training.training_data import TrainingData

_SEED: Final = 1
_HELD_OUT_QUESTIONS: Final = 1_200
_FIRST_SHARE, _SECOND_SHARE = 0.2, 0.35  # of the seconds; the embedder has what is left
_FIRST_RATE, _SECOND_RATE = 4e-5, 3e-5
_LAST_SECONDS: Final = 15.0  # for the last report
_DRAWN_FROM: Final = 20
_SCORED: Final = 16
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

    def taught(self, teacher: Teacher, seconds: float) -> dict[tuple[int, int], float]:
        """Train the teacher; its logits of each question's right passage and of the nearest ones."""
        print("teacher, first phase", flush=True)
        teacher.fit(self._data, self._drawn, rate=_FIRST_RATE, epochs=1, seconds=seconds * _FIRST_SHARE)
        self._report(teacher)
        scores = self._scored(teacher)
        kept = {question: self._without_false(question, scores) for question in self._questions}
        dropped = sum(len(self._data.negatives[each][:_SCORED]) - len(kept[each]) for each in self._questions)
        print(f"  {dropped} negatives dropped\nteacher, second phase", flush=True)

        def hardest(question: int) -> list[int]:
            first, others = kept[question][:_ALWAYS], kept[question][_ALWAYS:]
            return first + self._chance.sample(others, min(WRONG_A_LIST - _ALWAYS, len(others)))

        teacher.fit(self._data, hardest, rate=_SECOND_RATE, epochs=2, seconds=seconds * _SECOND_SHARE)
        self._report(teacher)
        return self._scored(teacher)

    def distil(self, embedder: Embedder, scores: dict[tuple[int, int], float], seconds: float) -> None:
        print("embedder", flush=True)
        distillation = Distillation(embedder, self._device, self._chance)
        if self._held_out:
            distillation.report(self._data, self._held_out)
        hard = {question: self._by_teacher(question, scores) for question in self._questions}
        distillation.fit(self._data, hard, scores, seconds)
        if self._held_out:
            distillation.report(self._data, self._held_out)

    def _report(self, teacher: Teacher) -> None:
        if self._held_out:
            teacher.report(self._data, self._held_out)

    def _drawn(self, question: int) -> list[int]:
        near = self._data.negatives[question][:_DRAWN_FROM]
        return self._chance.sample(near, min(WRONG_A_LIST, len(near)))

    def _scored(self, teacher: Teacher) -> dict[tuple[int, int], float]:
        keys = [
            (question, passage)
            for question in self._questions
            for passage in (self._data.right(question), *self._data.negatives[question][:_SCORED])
        ]
        texts = self._data.texts
        logits = teacher.scores([(texts.questions[question], texts.placed[passage]) for question, passage in keys])
        return dict(zip(keys, logits.tolist(), strict=True))

    def _by_teacher(self, question: int, scores: dict[tuple[int, int], float]) -> list[int]:
        """The nearest passages, best first as the teacher sees them."""
        near = self._data.negatives[question][:_SCORED]
        return sorted(near, key=lambda passage: scores[question, passage], reverse=True)

    def _without_false(self, question: int, scores: dict[tuple[int, int], float]) -> list[int]:
        limit = max(0.0, scores[question, self._data.right(question)] + _FALSE_BY)
        ranked = self._by_teacher(question, scores)
        return [each for each in ranked if scores[question, each] <= limit] or self._data.negatives[question][:_SCORED]


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    device, chance = Device.best(), random.Random(_SEED)
    np.random.seed(_SEED)
    torch.manual_seed(_SEED)
    tokenizer = read_tokenizer(arguments.embedder)
    embedder = embedder_from(arguments.embedder).to(device.name)
    data = mined(TrainingData.read(arguments.data), tokenizer, embedder, device)
    print(f"mined {sum(map(bool, data.negatives))} questions on {device.name}", flush=True)
    ends = time.monotonic() + arguments.seconds
    vocabulary = teacher_vocabulary(tokenizer, read_tokenizer(arguments.teacher))
    teacher = Teacher(cross_encoder_from(arguments.teacher), vocabulary, device, chance)
    training = Training(data, device, chance)
    scores = training.taught(teacher, arguments.seconds)
    del teacher
    training.distil(embedder, scores, max(1.0, ends - time.monotonic() - _LAST_SECONDS))
    state = {EMBEDDER_NAMES[name]: weight.float().cpu() for name, weight in embedder.state_dict().items()}
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    save_file(state, str(arguments.out))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(".venv/training/data.json.xz"))
    parser.add_argument("--teacher", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--embedder", type=Path, default=Path("app/weights/embedder"), help="the weights to start from")
    parser.add_argument("--seconds", type=float, default=420, help="for the teacher and the embedder together")
    parser.add_argument("--out", type=Path, default=Path(".venv/training/embedder.safetensors"))
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
