"""Whether a pure function's time grows with its text and not faster: a ratio in one run, so a slow machine is fine."""

import gc
import time
from collections.abc import Callable, Iterator
from typing import Final

_RUNS: Final = 3  # the fastest counts; of the long text no more than it takes
_NOTICED_SECONDS: Final = 0.002  # below it the clock and the caches are measured
_TIMES_THE_TEXT: Final = 8
_MOST: Final = 32  # times as long; a quadratic function takes 64


def takes_linear_time(read: Callable[[str], object], unit: str, chars: int) -> bool:
    """Whether `read` takes less than 32 times as long for 8 * `chars` of repeated `unit` as for `chars`."""

    def runs(length: int) -> Iterator[float]:
        text = (unit * (length // len(unit) + 1))[:length]
        return (_seconds(read, text) for _ in range(_RUNS))

    most = _MOST * max(min(runs(chars)), _NOTICED_SECONDS)
    return any(took < most for took in runs(_TIMES_THE_TEXT * chars))


def _seconds(read: Callable[[str], object], text: str) -> float:
    """Of this thread's processor time, without looking through all objects of the tests for garbage."""
    gc.disable()
    try:
        began = time.thread_time()
        read(text)
        return time.thread_time() - began
    finally:
        gc.enable()
