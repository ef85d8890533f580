"""Whole writing transactions in one visit to the thread of an SQLite connection, and many of them in one commit.

A writer that goes back to the event loop after each statement holds the database's one write lock for as long as the
loop keeps it waiting: 5 to 10 ms a statement with 150 answers streaming, and a turn writes 17 of them. Reading stays
on the loop: nobody waits for a reader, and whole transactions in threads keep the loop from the interpreter's lock.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Generic, TypeVar, cast
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, StaticPool, create_engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession
from sqlalchemy.orm import Session

from app.store.engine import begin_sqlite
from app.store.one_hop_sqlite import OneHopConnection
from app.store.session import SESSION_OPTIONS
from app.store.unbroken import unbroken
from app.store.vendor_errors import translated_errors

Value = TypeVar("Value")
Transaction = Callable[[AsyncSession], Coroutine[Any, Any, Value]]

_TOGETHER: Final = 32  # transactions in one commit: whoever comes later waits for all of them


class _Waiting(Generic[Value]):
    """A transaction that has not begun yet, or whose outcome nobody has heard of yet."""

    def __init__(self, transaction: Transaction[Value]) -> None:
        self.transaction = transaction
        self.outcome: asyncio.Future[Value] = asyncio.get_running_loop().create_future()
        self.value: Value | None = None
        self.error: BaseException | None = None

    def run(self, session: AsyncSession) -> None:
        self.value = _run_at_once(self.transaction(session))

    def tell(self) -> None:
        if self.outcome.cancelled():
            return
        if self.error is not None:
            self.outcome.set_exception(self.error)
        else:
            self.outcome.set_result(cast(Value, self.value))


class OneVisitWrites:
    """`turn_to_write` is held around each visit: other writers of this process wait in the same line."""

    def __init__(self, engine: AsyncEngine, turn_to_write: Callable[[], AbstractAsyncContextManager[None]]) -> None:
        self._engine = engine
        self._turn_to_write = turn_to_write
        self._sync_engines = WeakKeyDictionary[OneHopConnection, Engine]()
        self._compiled: dict[Any, Any] = {}
        self._waiting: list[_Waiting[Any]] = []
        self._visiting: asyncio.Task[None] | None = None

    async def run(self, transaction: Transaction[Value]) -> Value:
        """Commits, or raises what the transaction raised and keeps nothing of it. `transaction` awaits its session
        alone, and may be called twice: when another of its group fails, each is tried by itself."""
        waiting = _Waiting(transaction)
        self._waiting.append(waiting)
        if self._visiting is None or self._visiting.done():
            self._visiting = asyncio.create_task(self._visit_until_nobody_waits())
        return await unbroken(_awaited(waiting.outcome))

    async def _visit_until_nobody_waits(self) -> None:
        while self._waiting:
            group: list[_Waiting[Any]] = []
            try:
                with translated_errors():
                    async with self._turn_to_write():
                        group, self._waiting = self._waiting[:_TOGETHER], self._waiting[_TOGETHER:]
                        await self._visit(group)
            except BaseException as error:
                if not group:  # the line was too long for all who stood in it
                    group, self._waiting = self._waiting, []
                for waiting in group:
                    waiting.error = error
                if not isinstance(error, Exception):
                    raise
            finally:
                for waiting in group:
                    waiting.tell()

    async def _visit(self, group: list[_Waiting[Any]]) -> None:
        async with self._engine.connect() as connection:
            held = (await connection.get_raw_connection()).driver_connection
            if not isinstance(held, OneHopConnection):
                raise TypeError(f"{type(held).__name__} is no connection of ours")
            await held.in_thread(lambda raw: self._run(self._sync_engine(held, raw), group))

    def _run(self, engine: Engine, group: list[_Waiting[Any]]) -> None:
        """In the connection's thread."""
        try:
            _run_together(engine, group)
        except Exception as error:
            if len(group) == 1:
                group[0].error = error
                return
            for waiting in group:
                self._run(engine, [waiting])

    def _sync_engine(self, held: OneHopConnection, raw: Any) -> Engine:
        """SQLAlchemy on the connection itself, without the event loop between them."""
        found = self._sync_engines.get(held)
        if found is None:
            found = create_engine(
                "sqlite://",
                creator=lambda: raw,
                poolclass=StaticPool,
                pool_reset_on_return=None,
                hide_parameters=True,
                execution_options={"compiled_cache": self._compiled},
            )
            event.listen(found, "begin", begin_sqlite)
            self._sync_engines[held] = found
        return found


class _ImmediateSession:
    """What the families of records use of an AsyncSession. Nothing here ever waits for the event loop."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.get_bind = session.get_bind

    async def execute(self, *args: Any, **options: Any) -> Any:
        return self._session.execute(*args, **options)

    async def scalar(self, *args: Any, **options: Any) -> Any:
        return self._session.scalar(*args, **options)

    async def scalars(self, *args: Any, **options: Any) -> Any:
        return self._session.scalars(*args, **options)

    async def get(self, *args: Any, **options: Any) -> Any:
        return self._session.get(*args, **options)


def _run_together(engine: Engine, group: list[_Waiting[Any]]) -> None:
    with translated_errors(), engine.begin() as connection:
        for waiting in group:
            with Session(connection, autoflush=False, expire_on_commit=False, execution_options=SESSION_OPTIONS) as own:
                waiting.run(cast(AsyncSession, _ImmediateSession(own)))


def _run_at_once(transaction: Coroutine[Any, Any, Value]) -> Value:
    """To its end without an event loop, which it must not need."""
    try:
        transaction.send(None)
    except StopIteration as end:
        return cast(Value, end.value)
    transaction.close()
    raise RuntimeError("a transaction that is made at once awaited something beside its records")


async def _awaited(outcome: asyncio.Future[Value]) -> Value:
    return await outcome
