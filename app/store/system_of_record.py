"""Opens transactions over a SQL database."""

from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
from anyio.lowlevel import checkpoint_if_cancelled
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from app.domain.errors import Overloaded
from app.ports.clock import Clock
from app.store.engine import committed_side, is_sqlite, truncate_wal
from app.store.one_visit import OneVisitWrites
from app.store.secret_keys import SecretKeys
from app.store.session import SessionFactory, reading_sessions, writing_sessions
from app.store.transaction import Transaction, TurnEndListener
from app.store.unbroken import unbroken
from app.store.vendor_errors import translated_errors

Value = TypeVar("Value")

_WRITE_TURN_SECONDS = 10


class SystemOfRecord:
    """Opens transactions. Never hold one over a call to a model or to the network.

    The engine stays the caller's, who disposes of it. `on_turn_end` are called in the transaction in which a turn ends.
    """

    def __init__(
        self, engine: AsyncEngine, clock: Clock, secret_keys: SecretKeys, on_turn_end: Sequence[TurnEndListener]
    ) -> None:
        self._engine = engine
        self._writing = writing_sessions(engine)
        self._reading = reading_sessions(engine)
        self._clock = clock
        self._secret_keys = secret_keys
        self._on_turn_end = on_turn_end
        self._committed = committed_side(engine)
        # SQLite has one writer at a time and lets the others poll. Within this process they queue here instead:
        # first come, first served, and no connection is held while waiting.
        self._writers_turn = anyio.Lock() if is_sqlite(engine) else None
        self._one_visit = OneVisitWrites(engine, self._turn_to_write) if is_sqlite(engine) else None

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """Commits when the block ends, rolls back when it raises."""
        async with self._turn_to_write(), self._opened(self._writing, keep=True) as tx:
            yield tx

    async def write_at_once(self, work: Callable[[Transaction], Coroutine[Any, Any, Value]]) -> Value:
        """What `work` returns, committed; or what it raises, and nothing of it is kept.

        For what happens hundreds of times a second. `work` awaits nothing but its repositories, so that the
        transaction need not give way in its middle and can be committed together with others; it may be called twice.
        """
        if self._one_visit is None:
            return await unbroken(self._written(work))
        return await self._one_visit.run(lambda session: work(self._over(session)))

    async def _written(self, work: Callable[[Transaction], Coroutine[Any, Any, Value]]) -> Value:
        async with self.write() as tx:
            return await work(tx)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """One consistent picture, which does not wait for writers."""
        async with self._opened(self._reading, keep=False) as tx:
            yield tx

    async def empty_journal(self) -> bool:
        """Clear what was erased out of SQLite's write-ahead log; Postgres recycles its own. False when readers kept it
        busy: it then goes with a later one."""
        if not is_sqlite(self._engine):
            return True
        async with self._turn_to_write():
            with translated_errors():
                return await unbroken(truncate_wal(self._engine))

    @asynccontextmanager
    async def _opened(self, sessions: SessionFactory, *, keep: bool) -> AsyncIterator[Transaction]:
        with translated_errors():
            session = sessions()
            try:
                yield self._over(session)
                if keep:
                    await checkpoint_if_cancelled()
                    await unbroken(session.commit())
            finally:
                await unbroken(session.close())

    def _over(self, session: AsyncSession) -> Transaction:
        return Transaction(session, self._clock, self._secret_keys, self._committed, self._on_turn_end)

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
