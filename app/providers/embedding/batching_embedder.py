"""Embedder: questions of several visitors go through the model together."""

import asyncio
from collections import deque
from collections.abc import Sequence

from app.core.errors import EmbedderUnavailable
from app.providers.embedding.embedder import Embedder, WrappedEmbedder

Vectors = list[list[float]]


class BatchingEmbedder(WrappedEmbedder):
    """A question that comes while the model is free goes at once. Those that come while `runs` runs are under way
    wait for the first of them to end, and then go together, up to `max_batch` texts in a run, first come first served.

    At most `max_waiting` callers wait; further ones are refused at once. Callers of one run share its failure.
    """

    def __init__(self, embedder: Embedder, *, runs: int = 1, max_batch: int = 8, max_waiting: int = 64) -> None:
        super().__init__(embedder)
        self._runs = runs
        self._max_batch = max_batch
        self._max_waiting = max_waiting
        self._waiting: deque[tuple[Sequence[str], asyncio.Future[Vectors]]] = deque()
        self._running_now = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= self._max_waiting

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.is_full:
            self._forget_cancelled()
        if self.is_full:
            raise EmbedderUnavailable(f"The embedding model is busy: {self._max_waiting} questions wait already.")
        vectors: asyncio.Future[Vectors] = asyncio.get_running_loop().create_future()
        self._waiting.append((texts, vectors))
        if self._running_now < self._runs:
            self._running_now += 1
            task = asyncio.create_task(self._work(), name="embedding questions")
            self._tasks.add(task)  # the loop alone would not keep it alive
            task.add_done_callback(self._tasks.discard)
        return await vectors

    async def _work(self) -> None:
        try:
            await self._run_until_nobody_waits()
        finally:
            self._running_now -= 1  # before anybody who was just served asks again

    async def _run_until_nobody_waits(self) -> None:
        while batch := self._next_batch():
            try:
                vectors = await self._embedder.embed([text for texts, _ in batch for text in texts])
            except asyncio.CancelledError:
                _fail(batch, EmbedderUnavailable("The embedding model was closed."))
                raise
            except Exception as error:  # handed to those who wait
                _fail(batch, error)
                continue
            position = 0
            for texts, future in batch:
                if not future.done():
                    future.set_result(vectors[position : position + len(texts)])
                position += len(texts)

    def _next_batch(self) -> list[tuple[Sequence[str], asyncio.Future[Vectors]]]:
        batch: list[tuple[Sequence[str], asyncio.Future[Vectors]]] = []
        room = self._max_batch
        while self._waiting:
            texts, future = self._waiting[0]
            if future.done():  # its caller has left
                self._waiting.popleft()
                continue
            if batch and len(texts) > room:
                break
            batch.append(self._waiting.popleft())
            room -= len(texts)
        return batch

    def _forget_cancelled(self) -> None:
        self._waiting = deque(entry for entry in self._waiting if not entry[1].done())


def _fail(batch: Sequence[tuple[Sequence[str], asyncio.Future[Vectors]]], error: Exception) -> None:
    for _, future in batch:
        if not future.done():
            future.set_exception(error)
