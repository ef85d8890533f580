"""Processes that may be killed, for work that can be slow or hostile.

Each is spawned, has one pipe and does one piece of work at a time. So a timeout kills exactly the work that caused it,
and a crash affects no other. Owners of work take turns, so that none of them keeps the others waiting.
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
    """In the order in which they are granted: by round, then first come first served."""

    round: int
    number: int
    owner: str = field(compare=False)
    has_come: anyio.Event = field(compare=False, default_factory=anyio.Event)


class FairPlaces:
    """`places` pieces of work at once, `per_owner` of one owner. Each owner who waits gets a place in each round
    (start-time fair queueing, Goyal et al. 1996, with work of equal length)."""

    def __init__(self, places: int, per_owner: int) -> None:
        self._free = places
        self._per_owner = per_owner
        self._round = 0  # that of the turn granted last
        self._rounds: dict[str, int] = {}  # by owner: of their latest turn
        self._waiting: list[_Turn] = []
        self._held: Counter[str] = Counter()
        self._numbers = count()
        self._when_all_free: list[anyio.Event] = []

    @asynccontextmanager
    async def held(self, owner: str) -> AsyncIterator[None]:
        """A place, once it is the owner's turn."""
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
        else:  # cancelled while it waited
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
_REQUESTS_PER_PROCESS = 2000  # then a fresh one, so that leaks of parsers do not add up
_END_SECONDS = 2.0

Serve = Callable[[Connection], None]


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """What a process sends first, after all imports: the time of its work begins to count only then."""


class WorkerFailed(Exception):
    """The work has no result; `str` says why and continues the sentence "it ..."."""


class WorkerCrashed(WorkerFailed):
    """The process ended during the work."""


class WorkerTimedOut(WorkerFailed):
    """The process did not respond in time and was killed."""


class WorkerProcesses:
    """At most `max_workers` processes, started when first needed, of which `max_idle` outlive their work. `serve` is
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
        """Wait for a free process; the work's time counts from then. Request and answer are pickled. Raises
        WorkerFailed."""
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
            await self._places.all_free()  # every caller has seen the end of its process

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
            # Abandoned on cancellation: the kill below then ends the thread's wait.
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
    """In a process: say that it is ready, then answer one request at a time, until the other side closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks, which then closes the pipe
    pipe.send(WorkerReady())
    while True:
        try:
            request = pipe.recv()
        except EOFError:
            return
        pipe.send(answer(request))


def limit_memory(max_bytes: int) -> None:
    """Of this process, on Linux: beyond it, MemoryError."""
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
        """Raises WorkerTimedOut or WorkerCrashed; the worker cannot be used afterwards."""
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
        """End the process at once; a waiting `ask` sees the end of its pipe."""
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
        context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
        ours, theirs = context.Pipe()
        process = context.Process(target=self._serve, args=(theirs,), name="docent-extraction", daemon=True)
        process.start()
        theirs.close()  # so that the end of the process closes the pipe
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
