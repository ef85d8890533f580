"""Times a stage and its floor in turns, so that both feel the same load."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter
from typing import TypeVar

Work = Callable[[str], Awaitable[object] | object]
T = TypeVar("T")

_WARM_UP = 3


@dataclass(frozen=True, slots=True)
class StageTime:
    """In milliseconds, over the questions. `floor` is the same work by the bare library, None where there is no
    simpler way to do it."""

    stage: str
    p50: float
    p95: float
    floor: float | None
    floor_is: str

    @property
    def ratio(self) -> float | None:
        return self.p50 / self.floor if self.floor else None


async def timed(
    stage: str, questions: Sequence[str], work: Work, floor: Work | None = None, floor_is: str = ""
) -> StageTime:
    """Each question once by `work` and once by `floor`, after a few that are not counted."""
    for question in questions[:_WARM_UP]:
        await _once(work, question)
        if floor:
            await _once(floor, question)
    spent: list[float] = []
    at_floor: list[float] = []
    for question in questions:
        spent.append(await _once(work, question))
        if floor:
            at_floor.append(await _once(floor, question))
    return StageTime(stage, median(spent), quantiles(spent, n=20)[-1], median(at_floor) if floor else None, floor_is)


async def _once(work: Work, question: str) -> float:
    began = perf_counter()
    done = work(question)
    if inspect.isawaitable(done):
        await done
    return (perf_counter() - began) * 1000
