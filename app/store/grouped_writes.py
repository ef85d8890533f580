"""Write transactions on SQLite: they run one at a time in a thread, and those that wait meanwhile share a commit.

SQLite has one writer at a time, and lets the others poll. Within a process, they queue here instead, first come, first
served, without holding a connection while they wait. A commit waits for the disk, so a hundred concurrent turns share a
few.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar, cast

import anyio
from sqlalchemy import Connection, Engine

from app.core.errors import Overloaded
from app.store.unbroken import unbroken
from app.store.vendor_errors import translated_errors

Value = TypeVar("Value")
Write = Callable[[Connection, bool], Value]

_TOGETHER: Final = 32  # transactions per commit: a later one waits for all of them
_WAIT_SECONDS = 10


class MustBeAlone(Exception):
    """Raised in a transaction that shares a commit but must not, so that it is tried again alone."""


class _Waiting(Generic[Value]):
    """A transaction that has not begun, or whose outcome was not delivered yet."""

    def __init__(self, write: Write[Value]) -> None:
        self.write = write
        self.outcome: asyncio.Future[Value] = asyncio.get_running_loop().create_future()
        self.value: Value | None = None
        self.error: BaseException | None = None

    def tell(self) -> None:
        if self.outcome.cancelled():
            return
        if self.error is not None:
            self.outcome.set_exception(self.error)
        else:
            self.outcome.set_result(cast(Value, self.value))


class GroupedWrites:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._turn = anyio.CapacityLimiter(1)
        self._thread = anyio.CapacityLimiter(1)
        self._waiting: list[_Waiting[Any]] = []
        self._writing: asyncio.Task[None] | None = None

    async def run(self, write: Write[Value]) -> Value:
        """Commits, or raises what `write` raised and keeps none of its changes. `write` receives whether it is alone in
        its commit, and may be called twice: if another one of its group fails, each is tried alone.

        Raises Overloaded if its turn does not come in time. Once it has begun, it completes even if the caller is
        cancelled.
        """
        waiting = _Waiting(write)
        self._waiting.append(waiting)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_until_nobody_waits())
        return await unbroken(self._outcome(waiting))

    async def alone(self, work: Callable[[Engine], Value]) -> Value:
        """Run `work` in a thread while nobody writes."""
        return await unbroken(anyio.to_thread.run_sync(work, self._engine, limiter=self._turn))

    async def _outcome(self, waiting: _Waiting[Value]) -> Value:
        await asyncio.wait({waiting.outcome}, timeout=_WAIT_SECONDS)
        if waiting in self._waiting:
            self._waiting.remove(waiting)
            raise Overloaded("The database is busy with other writers. Try again in a moment.")
        return await waiting.outcome

    async def _write_until_nobody_waits(self) -> None:
        while self._waiting:
            async with self._turn:
                group, self._waiting = self._waiting[:_TOGETHER], self._waiting[_TOGETHER:]
                try:
                    await anyio.to_thread.run_sync(self._run, group, limiter=self._thread)
                except BaseException as error:
                    for waiting in group:
                        waiting.error = error
                    raise
                finally:
                    for waiting in group:
                        waiting.tell()

    def _run(self, group: list[_Waiting[Any]]) -> None:
        has_begun = False
        try:
            with translated_errors(), self._engine.begin() as connection:
                has_begun = True
                for waiting in group:
                    waiting.value = waiting.write(connection, len(group) == 1)
        except Exception as error:
            if has_begun and len(group) > 1:
                for waiting in group:
                    self._run([waiting])
                return
            # If another process holds the database, none of them would fare better alone.
            for waiting in group:
                waiting.error = error
