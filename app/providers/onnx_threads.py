"""The folder of the shipped ONNX models, and the few threads on which they run: never on the event loop, and no more at
once than the machine can bear.

The threads share one queue, served by urgency: a visitor's question goes before a ranking, and both before an ingest,
which submits one small batch after another and so delays the others by one batch at most.
"""

import asyncio
import heapq
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from enum import IntEnum
from pathlib import Path
from typing import Any, Final, TypeVar

_WEIGHTS: Final = Path(__file__).resolve().parent.parent / "weights"

EMBEDDER_FOLDER: Final = _WEIGHTS / "embedder"
RERANKER_FOLDER: Final = _WEIGHTS / "reranker"


T = TypeVar("T")


class Urgency(IntEnum):
    """Lower is served first."""

    QUESTION = 0
    RANKING = 1
    INGEST = 2


class ThreadsBusy(Exception):
    """Too much work is waiting already, or the threads were closed."""


class OnnxThreads:
    """Runs work on `threads` threads, started with the first one, over a queue of at most `max_waiting` pieces."""

    def __init__(self, *, threads: int = 1, max_waiting: int = 64) -> None:
        self._thread_count = threads
        self._max_waiting = max_waiting
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int, float | None, Callable[[], Any], Future[Any]]] = []
        self._ticket = itertools.count()
        self._threads: list[threading.Thread] = []
        self._is_closed = False

    async def run(self, work: Callable[[], T], urgency: Urgency, *, deadline: float | None = None) -> T:
        """Run `work` on a thread; return or raise what it does.

        `deadline` is a moment of `time.monotonic()`: work that has not ended by then raises TimeoutError; work that has
        not begun by then never begins. Raises ThreadsBusy at once if the queue is full.
        """
        future = self._submit(work, urgency, deadline)
        wrapped = asyncio.wrap_future(future)
        if deadline is None:
            return await wrapped
        async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
            return await wrapped

    async def run_each(
        self, works: Sequence[Callable[[], T]], urgency: Urgency, *, deadline: float | None = None
    ) -> list[T]:
        """Run all, one per thread at a time; return the results in order. More urgent work may run in between."""
        waiting, made = deque(enumerate(works)), dict[int, T]()

        async def work() -> None:
            while waiting:
                number, piece = waiting.popleft()
                made[number] = await self.run(piece, urgency, deadline=deadline)

        try:
            await asyncio.gather(*(work() for _ in range(self._thread_count)))
        finally:
            waiting.clear()  # if one failed, the others stop
        return [made[number] for number in range(len(works))]

    async def close(self) -> None:
        """Let running work end, and cancel what waits."""
        with self._changed:
            self._is_closed = True
            waiting, self._waiting = self._waiting, []
            self._changed.notify_all()
        for *_, future in waiting:
            future.cancel()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    def _submit(self, work: Callable[[], T], urgency: Urgency, deadline: float | None) -> Future[T]:
        future: Future[T] = Future()
        with self._changed:
            if self._is_closed:
                raise ThreadsBusy("the local models were closed")
            if len(self._waiting) >= self._max_waiting:
                self._forget_cancelled()
            if len(self._waiting) >= self._max_waiting:
                raise ThreadsBusy(f"{self._max_waiting} calls already wait for the local models")
            heapq.heappush(self._waiting, (urgency, next(self._ticket), deadline, work, future))
            if len(self._threads) < self._thread_count:
                thread = threading.Thread(target=self._serve, name="onnx", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
        return future

    def _forget_cancelled(self) -> None:
        self._waiting = [entry for entry in self._waiting if not entry[4].cancelled()]
        heapq.heapify(self._waiting)

    def _serve(self) -> None:
        while (entry := self._next()) is not None:
            _, _, deadline, work, future = entry
            if not future.set_running_or_notify_cancel():
                continue
            if deadline is not None and time.monotonic() >= deadline:
                future.set_exception(TimeoutError())
                continue
            try:
                result = work()
            except BaseException as error:  # raised to the caller that waits
                future.set_exception(error)
            else:
                future.set_result(result)
            del entry, work, future  # a waiting thread must not keep texts and scores alive

    def _next(self) -> tuple[int, int, float | None, Callable[[], Any], Future[Any]] | None:
        with self._changed:
            while not self._waiting:
                if self._is_closed:
                    return None
                self._changed.wait()
            return heapq.heappop(self._waiting)
