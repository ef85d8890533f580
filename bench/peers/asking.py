"""Asks every contender the same questions in turns: what each costs, and how often it finds the right page."""

import json
import os
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.peers.preparation import Prepared

DEPTHS: Final = (1, 5)
_ROOT: Final = Path(__file__).resolve().parents[2]
# One thread of BLAS, as Docent's commands have it: more of them spin, and cost each contender that multiplies by numpy.
_ENVIRONMENT: Final = {"HAYSTACK_TELEMETRY_ENABLED": "False", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class Contender:
    """`command` is started with the folder of a prepared site behind it, and speaks as `bench.peers.worker` says."""

    name: str
    command: tuple[str, ...]


@dataclass(slots=True)
class Score:
    """`milliseconds` of the processor a question, one of each round. `right` counts, by depth, the questions of which
    a page with the answer is among the first chunks."""

    milliseconds: list[float] = field(default_factory=list)
    right: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))


class Worker:
    """A contender's process over one site."""

    def __init__(self, name: str, process: subprocess.Popen[str], log: Path) -> None:
        self._name = name
        self._process = process
        self._log = log
        self._heard()

    def ask(self, question: str) -> tuple[list[str], float]:
        """The ids of the chunks that it found, best first, and the seconds of the processor that it took."""
        assert self._process.stdin
        self._process.stdin.write(f"{json.dumps(question)}\n")
        self._process.stdin.flush()
        answer = self._heard()
        return answer["found"], answer["seconds"]

    def _heard(self) -> dict[str, Any]:
        """Its next line. Raises SystemExit where it has ended."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            said = self._log.read_text("utf-8", "replace")[-2000:]
            raise SystemExit(f"{self._name} ended with {self._process.wait()}:\n{said}")
        heard: dict[str, Any] = json.loads(line)
        return heard


@contextmanager
def working(contender: Contender, folder: Path) -> Iterator[Worker]:
    """Until the block is left. Raises SystemExit where it cannot be started."""
    log = folder / f"{contender.name}.log"
    with (
        log.open("w", encoding="utf-8") as errors,
        subprocess.Popen(
            [*contender.command, str(folder)],
            cwd=_ROOT,
            env=os.environ | _ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        try:
            yield Worker(contender.name, process, log)
        finally:
            process.kill()


def measure(sites: Sequence[Prepared], contenders: Sequence[Contender], rounds: int) -> dict[str, Score]:
    """By name. A site's contenders answer all of its questions one after the other, in each round in the other order;
    the round before, in which what they found is looked at, warms them up."""
    scores = {contender.name: Score([0.0] * rounds) for contender in contenders}
    for site in sites:
        with ExitStack() as ending:
            workers = {each.name: ending.enter_context(working(each, site.folder)) for each in contenders}
            for name, worker in workers.items():
                for question in site.questions:
                    found, _ = worker.ask(question.text)
                    for depth in DEPTHS:
                        scores[name].right[depth] += is_right(found, depth, site.page_of, question.pages)
            for number in range(rounds):
                for name in workers if number % 2 else reversed(workers):
                    seconds = sum(workers[name].ask(question.text)[1] for question in site.questions)
                    scores[name].milliseconds[number] += seconds * 1000
    asked = sum(len(site.questions) for site in sites)
    for score in scores.values():
        score.milliseconds = [spent / asked for spent in score.milliseconds]
    return scores


def is_right(found: Sequence[str], depth: int, page_of: Mapping[str, str], pages: Collection[str]) -> bool:
    """Whether one of the first chunks is of one of these pages."""
    return any(page_of[chunk] in pages for chunk in found[:depth])


def best_peer(scores: Mapping[str, Score], ours: str) -> tuple[str, float]:
    """The one that takes least of the processor, and what `ours` takes to it: the median of the rounds' ratios."""
    best = min((name for name in scores if name != ours), key=lambda name: median(scores[name].milliseconds))
    return best, beside(scores[ours], scores[best])


def beside(one: Score, other: Score) -> float:
    return median(mine / theirs for mine, theirs in zip(one.milliseconds, other.milliseconds, strict=True))
