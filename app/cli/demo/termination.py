"""SIGTERM ends a command as Ctrl-C does: what it has begun is put away."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_ENDED_BY_SIGTERM: Final = 128 + signal.SIGTERM


@contextmanager
def orderly_end() -> Iterator[None]:
    """For the main thread. Within the block SIGTERM raises SystemExit, once; another does not disturb the end."""

    def end(signum: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(_ENDED_BY_SIGTERM)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
