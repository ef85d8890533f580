"""Worker processes that can be killed, for work on input that may be slow or hostile.

Each process is spawned, has one pipe and does one piece of work at a time, so that a timeout or a crash affects no
other work. Owners of work take turns, so that none keeps the others waiting.
"""

import multiprocessing
import signal
import sys
from bisect import insort
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection
from typing import Any, Self

import anyio
import anyio.to_thread


@dataclass(order=True, slots=True)
class _Turn:
    """A request for a place. Turns are granted by round, and within a round in the order of requests."""

    round: int
    number: int
    owner: str = field(compare=False)
    has_come: anyio.Event = field(compare=False, default_factory=anyio.Event)


class FairPlaces:
    """Limits work to `places` pieces at once, `per_owner` of one owner. Each waiting owner gets one place per round
    (start-time fair queueing, Goyal et al. 1996, with work of equal length)."""

    def __init__(self, places: int, per_owner: int) -> None:
        self._free = places
        self._per_owner = per_owner
        self._round = 0  # the round of the turn granted last
        self._rounds: dict[str, int] = {}  # the round of each owner's latest turn
        self._waiting: list[_Turn] = []
        self._held: Counter[str] = Counter()
        self._numbers = count()
        self._when_all_free: list[anyio.Event] = []

    @asynccontextmanager
    async def held(self, owner: str) -> AsyncIterator[None]:
        """Wait for the owner's turn and hold a place while the block runs."""
        self._rounds[owner] = max(self._round, self._rounds.get(owner, -1) + 1)
        turn = _Turn(self._rounds[owner], next(self._numbers), owner)
        insort(self._waiting, turn)
        self._grant()
        try:
            await turn.has_come.wait()
            yield
        finally:
            self._leave(turn)
            self._grant()

    async def all_free(self) -> None:
        """Wait until nobody holds a place or waits for one."""
        if self._rounds:
            free = anyio.Event()
            self._when_all_free.append(free)
            await free.wait()

    def _leave(self, turn: _Turn) -> None:
        if turn.has_come.is_set():
            self._free += 1
            self._held[turn.owner] -= 1
        else:  # cancelled while waiting
            self._waiting.remove(turn)
        if not self._held[turn.owner] and all(each.owner != turn.owner for each in self._waiting):
            del self._held[turn.owner], self._rounds[turn.owner]
        while not self._rounds and self._when_all_free:
            self._when_all_free.pop().set()

    def _grant(self) -> None:
        for turn in list(self._waiting):
            if self._free and self._held[turn.owner] < self._per_owner:
                self._waiting.remove(turn)
                self._free -= 1
                self._held[turn.owner] += 1
                self._round = max(self._round, turn.round)
                turn.has_come.set()


_START_SECONDS = 120.0
_REQUESTS_PER_PROCESS = 2000  # a new process is started then, in case parsers leak memory
_END_SECONDS = 2.0

Serve = Callable[[Connection], None]


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """The first message of a process, after all imports. The time limit of its work starts with it."""


class WorkerFailed(Exception):
    """The work has no result. `str(error)` is the reason, and continues a sentence "it ..."."""


class WorkerCrashed(WorkerFailed):
    """The process ended during the work."""


class WorkerTimedOut(WorkerFailed):
    """The process did not respond in time and was killed."""


class WorkerProcesses:
    """At most `max_workers` processes, started when needed, of which `max_idle` are kept after their work. `serve` is
    their entry point: it sends WorkerReady, then an answer for each request, until the pipe closes.

    Owners of work take turns, and none has more than `per_owner` processes at once. Work whose process dies is tried
    once more in a new one. If the caller is cancelled, the process is killed. Close with `aclose()` or use as an async
    context manager.
    """

    def __init__(
        self,
        serve: Serve,
        timeout_seconds: float,
        max_workers: int = 1,
        *,
        per_owner: int | None = None,
        max_idle: int | None = None,
    ) -> None:
        if max_workers < 1:
            raise ValueError("max_workers must be at least 1")
        self._timeout_seconds = timeout_seconds
        self._serve = serve
        self._places = FairPlaces(max_workers, per_owner or max_workers)
        self._max_idle = max_workers if max_idle is None else max_idle
        self._idle: deque[_Worker] = deque()
        self._busy: set[_Worker] = set()
        self._closing = anyio.Event()

    async def ask(self, request: object, owner: str = "") -> Any:
        """Wait for a free process and return its answer; the time limit starts then. Request and answer are pickled.
        Raises WorkerFailed."""
        async with self._places.held(owner):
            try:
                return await self._ask(request)
            except WorkerCrashed:
                try:
                    return await self._ask(request)
                except WorkerCrashed as error:
                    raise WorkerCrashed("crashed twice") from error

    async def aclose(self) -> None:
        """End all processes, including busy ones, whose work fails. Idempotent."""
        self._closing.set()
        for worker in self._busy:
            worker.kill()
        with anyio.CancelScope(shield=True):
            while self._idle:
                await anyio.to_thread.run_sync(self._idle.popleft().end)
            await self._places.all_free()  # until every caller has noticed the end of its process

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _ask(self, request: object) -> Any:
        if self._closing.is_set():
            raise WorkerFailed("is closed")
        worker = self._idle.popleft() if self._idle else _Worker(self._serve)
        self._busy.add(worker)
        try:
            # If this is cancelled, the thread is abandoned; killing the process below ends its wait.
            answer = await anyio.to_thread.run_sync(worker.ask, request, self._timeout_seconds, abandon_on_cancel=True)
        except WorkerTimedOut:
            raise WorkerTimedOut(f"took longer than {self._timeout_seconds:g} s") from None
        except BaseException:
            worker.kill()
            raise
        finally:
            self._busy.discard(worker)
        is_worn = worker.requests >= _REQUESTS_PER_PROCESS or len(self._idle) >= self._max_idle
        if self._closing.is_set() or is_worn:
            await anyio.to_thread.run_sync(worker.end)
        else:
            self._idle.append(worker)
        return answer


def serve_requests(pipe: Connection, answer: Callable[[Any], object]) -> None:
    """The loop of a worker process: send WorkerReady, then answer requests until the other side closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process, which then closes the pipe
    pipe.send(WorkerReady())
    while True:
        try:
            request = pipe.recv()
        except EOFError:
            return
        pipe.send(answer(request))


def limit_memory(max_bytes: int) -> None:
    """Limit the memory of this process, on Linux. Allocations beyond it raise MemoryError."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (max_bytes, max_bytes))


class _Worker:
    """One process and its pipe. All methods block; `kill` may be called from another thread than `ask`."""

    def __init__(self, serve: Serve) -> None:
        self.requests = 0
        self._serve = serve
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._is_killed = False

    def ask(self, request: object, timeout_seconds: float) -> Any:
        """Send a request and wait for the answer. After WorkerTimedOut or WorkerCrashed, the worker is unusable."""
        try:
            pipe = self._pipe or self._start()
            pipe.send(request)
            self.requests += 1
            return self._receive(pipe, timeout_seconds)
        except WorkerTimedOut:
            self.end()
            raise
        except (EOFError, OSError) as error:
            self.end()
            raise WorkerCrashed from error

    def kill(self) -> None:
        """Kill the process; a waiting `ask` then raises WorkerCrashed."""
        self._is_killed = True
        if self._process is not None:
            self._process.kill()

    def end(self) -> None:
        """Kill and wait until the process is gone."""
        self.kill()
        if self._process is not None:
            self._process.join(_END_SECONDS)
        if self._pipe is not None:
            self._pipe.close()

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")  # forking a process with threads may deadlock
        ours, theirs = context.Pipe()
        process = context.Process(target=self._serve, args=(theirs,), name="docent-extraction", daemon=True)
        process.start()
        theirs.close()  # otherwise the pipe would stay open after the process ends
        self._process, self._pipe = process, ours
        if self._is_killed:
            self.kill()
        if not isinstance(self._receive(ours, _START_SECONDS), WorkerReady):
            raise EOFError
        return ours

    def _receive(self, pipe: Connection, timeout_seconds: float) -> Any:
        if not pipe.poll(timeout_seconds):
            raise WorkerTimedOut
        return pipe.recv()
