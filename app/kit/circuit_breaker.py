"""A circuit breaker for a part that may be down: after some failures in a row it is not called for a while, then one
call tests whether it is back.

    closed --`failures_to_open` failures in a row--> open --`cool_down_seconds`--> half-open
    half-open: one call is let through. It succeeds --> closed. It fails --> open again.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

State = Literal["closed", "open"]


class CircuitOpen(Exception):
    """Raised instead of a call. `retry_after_seconds`: until the next test call is allowed; 0 while one runs."""

    def __init__(self, part: str, retry_after_seconds: float) -> None:
        super().__init__(f"{part}: failed several times in a row, and is left alone for a while.")
        self.retry_after_seconds = retry_after_seconds


class CircuitBreaker:
    """Belongs to one event loop, and starts closed. `on_change` is called with the new state when it opens or closes.

    The outcome of a call is ignored if the circuit has opened or closed since the call began.
    """

    def __init__(
        self,
        part: str,
        *,
        failures_to_open: int = 3,
        cool_down_seconds: float = 10.0,
        now: Callable[[], float] = time.monotonic,
        on_change: Callable[[State], None] | None = None,
    ) -> None:
        self._part = part
        self._failures_to_open = failures_to_open
        self._cool_down_seconds = cool_down_seconds
        self._now = now
        self._on_change = on_change
        self._failures = 0
        self._tried_again_at: float | None = None  # None: closed
        self._is_probing = False
        self._epoch = 0

    @property
    def is_open(self) -> bool:
        """Whether calls are refused, or the next one would only be a test."""
        return self._tried_again_at is not None

    @contextmanager
    def call(self, failures: type[Exception] | tuple[type[Exception], ...]) -> Iterator[None]:
        """Wrap one call of the part. Raises CircuitOpen, without running the block, while calls are refused.

        An exception of the types in `failures` counts as a failure; any other counts as a success, because the part has
        responded. A cancelled call counts as neither, and another call may be the test in its place.
        """
        epoch = self._admit()
        try:
            yield
        except failures:
            self._failed(epoch)
            raise
        except Exception:
            self._succeeded(epoch)
            raise
        except BaseException:
            self._gave_no_verdict(epoch)
            raise
        else:
            self._succeeded(epoch)

    def open_for(self, seconds: float) -> None:
        """Open the circuit for `seconds`, because the part requested a pause."""
        self._open(self._now() + seconds)

    def _admit(self) -> int:
        if self._tried_again_at is None:
            return self._epoch
        wait = self._tried_again_at - self._now()
        if wait > 0 or self._is_probing:
            raise CircuitOpen(self._part, max(0.0, wait))
        self._is_probing = True
        self._epoch += 1  # calls from before the cool-down have no effect
        return self._epoch

    def _failed(self, epoch: int) -> None:
        if epoch != self._epoch:
            return
        self._failures += 1
        if self._is_probing or self._failures >= self._failures_to_open:
            self._open(self._now() + self._cool_down_seconds)

    def _succeeded(self, epoch: int) -> None:
        if epoch != self._epoch:
            return
        self._failures = 0
        if self._tried_again_at is not None:
            self._tried_again_at, self._is_probing = None, False
            self._epoch += 1
            self._report("closed")

    def _gave_no_verdict(self, epoch: int) -> None:
        if epoch == self._epoch:
            self._is_probing = False

    def _open(self, until: float) -> None:
        was_open = self._tried_again_at is not None
        self._tried_again_at, self._is_probing, self._failures = until, False, 0
        self._epoch += 1
        if not was_open:
            self._report("open")

    def _report(self, state: State) -> None:
        if self._on_change:
            self._on_change(state)
