"""Extracts pages in processes that may be killed: a page can be slow or hostile, and the crawl continues.

Each worker is a spawned process with one pipe that reads one page at a time. So a timeout kills exactly the page that
caused it, and a crash affects no other page.
"""

import multiprocessing
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

import anyio
import anyio.to_thread

from crawler.errors import ExtractionFailed
from crawler.extract.extraction_worker import Answer, PageFailure, PageRequest, WorkerReady, serve_pages
from crawler.extract.page import Page

DEFAULT_TIMEOUT_SECONDS = 20.0
_START_SECONDS = 120.0
_PAGES_PER_WORKER = 2000  # then a fresh process, so that leaks of parsers do not add up
_END_SECONDS = 2.0

Serve = Callable[[Connection], None]


class WorkerCrashed(Exception):
    """The process ended while it was reading a page."""


class WorkerTimedOut(Exception):
    """The process did not respond in time and was killed."""


class ExtractionPool:
    """An Extractor on at most `max_workers` processes, started when first needed.

    A page that takes longer than `timeout_seconds` fails with ExtractionFailed and its process is killed. A page whose
    process dies is tried once more in a new one. Close with `aclose()` or use as an async context manager.
    """

    def __init__(
        self,
        max_workers: int = 1,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        serve: Serve = serve_pages,
    ) -> None:
        if max_workers < 1:
            raise ValueError("max_workers must be at least 1")
        self._max_workers = max_workers
        self._timeout_seconds = timeout_seconds
        self._serve = serve
        self._places = anyio.CapacityLimiter(max_workers)
        self._idle: deque[_Worker] = deque()
        self._busy: set[_Worker] = set()
        self._closing = anyio.Event()

    async def extract(self, body: bytes, url: str, charset: str | None, media_type: str = "text/html") -> Page:
        """Wait for a free worker; the page's time counts from then. Raises ExtractionFailed."""
        request = PageRequest(body, url, charset, media_type)
        async with self._places:
            try:
                answer = await self._ask(request)
            except WorkerCrashed:
                try:
                    answer = await self._ask(request)
                except WorkerCrashed as error:
                    raise ExtractionFailed("the process that read the page crashed twice") from error
        if isinstance(answer, Page):
            return answer
        reason = answer.reason if isinstance(answer, PageFailure) else "the process answered out of turn"
        raise ExtractionFailed(reason)

    async def aclose(self) -> None:
        """End all processes, including busy ones, whose pages fail. Idempotent."""
        self._closing.set()
        for worker in self._busy:
            worker.kill()
        with anyio.CancelScope(shield=True):
            while self._idle:
                await anyio.to_thread.run_sync(self._idle.popleft().end)
            tokens = [object() for _ in range(self._max_workers)]
            for token in tokens:  # all workers are free: every page has seen the end of its process
                await self._places.acquire_on_behalf_of(token)
            for token in tokens:
                self._places.release_on_behalf_of(token)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _ask(self, request: PageRequest) -> Answer:
        if self._closing.is_set():
            raise ExtractionFailed("the extraction pool is closed")
        worker = self._idle.popleft() if self._idle else _Worker(self._serve)
        self._busy.add(worker)
        try:
            # Abandoned on cancellation: the kill below then ends the thread's wait.
            answer = await anyio.to_thread.run_sync(worker.ask, request, self._timeout_seconds, abandon_on_cancel=True)
        except WorkerTimedOut as error:
            raise ExtractionFailed(f"reading it took longer than {self._timeout_seconds:g} s") from error
        except BaseException:
            worker.kill()
            raise
        finally:
            self._busy.discard(worker)
        if self._closing.is_set() or worker.pages >= _PAGES_PER_WORKER:
            await anyio.to_thread.run_sync(worker.end)
        else:
            self._idle.append(worker)
        return answer


class _Worker:
    """One process and its pipe. All methods block; `kill` may be called from another thread than `ask`."""

    def __init__(self, serve: Serve) -> None:
        self.pages = 0
        self._serve = serve
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._is_killed = False

    def ask(self, request: PageRequest, timeout_seconds: float) -> Answer:
        """Raises WorkerTimedOut or WorkerCrashed; the worker cannot be used afterwards."""
        try:
            pipe = self._pipe or self._start()
            pipe.send(request)
            self.pages += 1
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

    def _receive(self, pipe: Connection, timeout_seconds: float) -> Answer:
        if not pipe.poll(timeout_seconds):
            raise WorkerTimedOut
        answer: Answer = pipe.recv()
        return answer
