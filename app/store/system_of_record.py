"""Opens transactions over a SQL database."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
from anyio.lowlevel import checkpoint_if_cancelled
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from app.domain.errors import Overloaded
from app.ports.clock import Clock
from app.store.engine import committed_side, is_sqlite, truncate_wal
from app.store.one_visit import OneVisitWrites
from app.store.records import SqlRecords
from app.store.secret_keys import SecretKeys
from app.store.session import SessionFactory, reading_sessions, writing_sessions
from app.store.unbroken import unbroken
from app.store.vendor_errors import translated_errors

Value = TypeVar("Value")

_WRITE_TURN_SECONDS = 10


class SqlSystemOfRecord:
    """Implements `SystemOfRecord`. The engine stays the caller's, who disposes of it."""

    def __init__(self, engine: AsyncEngine, clock: Clock, secret_keys: SecretKeys) -> None:
        self._engine = engine
        self._writing = writing_sessions(engine)
        self._reading = reading_sessions(engine)
        self._clock = clock
        self._secret_keys = secret_keys
        self._committed = committed_side(engine)
        # SQLite has one writer at a time and lets the others poll. Within this process they queue here instead:
        # first come, first served, and no connection is held while waiting.
        self._writers_turn = anyio.Lock() if is_sqlite(engine) else None
        self._one_visit = OneVisitWrites(engine, self._turn_to_write) if is_sqlite(engine) else None

    @asynccontextmanager
    async def write(self) -> AsyncIterator[SqlRecords]:
        async with self._turn_to_write(), self._transaction(self._writing, keep=True) as records:
            yield records

    async def write_at_once(self, work: Callable[[SqlRecords], Coroutine[Any, Any, Value]]) -> Value:
        if self._one_visit is None:
            return await unbroken(self._written(work))
        return await self._one_visit.run(lambda session: work(self._records(session)))

    async def _written(self, work: Callable[[SqlRecords], Coroutine[Any, Any, Value]]) -> Value:
        async with self.write() as records:
            return await work(records)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[SqlRecords]:
        async with self._transaction(self._reading, keep=False) as records:
            yield records

    async def empty_journal(self) -> bool:
        """On Postgres the server's own write-ahead log is recycled by the server."""
        if not is_sqlite(self._engine):
            return True
        async with self._turn_to_write():
            with translated_errors():
                return await unbroken(truncate_wal(self._engine))

    @asynccontextmanager
    async def _transaction(self, sessions: SessionFactory, *, keep: bool) -> AsyncIterator[SqlRecords]:
        with translated_errors():
            session = sessions()
            try:
                yield self._records(session)
                if keep:
                    await checkpoint_if_cancelled()
                    await unbroken(session.commit())
            finally:
                await unbroken(session.close())

    def _records(self, session: AsyncSession) -> SqlRecords:
        return SqlRecords(session, self._clock, self._secret_keys, self._committed)

    @asynccontextmanager
    async def _turn_to_write(self) -> AsyncIterator[None]:
        if self._writers_turn is None:
            yield
            return
        try:
            with anyio.fail_after(_WRITE_TURN_SECONDS):
                await self._writers_turn.acquire()
        except TimeoutError as error:
            raise Overloaded("The database is busy with other writers. Try again in a moment.") from error
        try:
            yield
        finally:
            self._writers_turn.release()
