"""Opens transactions over a SQL database."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from functools import wraps
from typing import Any, Concatenate, Final, Generic, ParamSpec, Protocol, Self, TypeVar, cast
from uuid import UUID

import anyio
from sqlalchemy import Connection, Engine

from app.core.errors import Overloaded
from app.kit.clock import Clock
from app.store.engine import (
    POSTGRES_CONNECTIONS,
    SQLITE_READERS,
    committed_side,
    is_sqlite,
    read_side,
    translated_errors,
    truncate_wal,
)
from app.store.row_security import WorkspaceScope
from app.store.secret_keys import SecretKeys
from app.store.transaction import KnownRows, Transaction, TurnEndListener

__all__ = ["SystemOfRecord", "Transaction", "reads", "unbroken", "writes"]

Result = TypeVar("Result")


async def unbroken(call: Coroutine[Any, Any, Result]) -> Result:
    """Run the call to its end even if the task is cancelled meanwhile; the cancellation follows after it."""
    task = asyncio.ensure_future(call)
    cancellation: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError as error:
                cancellation = error
    if cancellation is not None:
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not warn
        raise cancellation
    return task.result()


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

    def deliver(self) -> None:
        if self.outcome.cancelled():
            return
        if self.error is not None:
            self.outcome.set_exception(self.error)
        else:
            self.outcome.set_result(cast(Value, self.value))


class GroupedWrites:
    """Write transactions on SQLite: they run one at a time in a thread, and those that wait meanwhile share a commit.

    SQLite has one writer at a time, and lets the others poll. Within a process, they queue here instead, first come,
    first served, without holding a connection while they wait. A commit waits for the disk, so a hundred concurrent
    turns share a few.
    """

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
                        waiting.deliver()

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


Given = ParamSpec("Given")
Work = Callable[[Transaction], Value]


class SystemOfRecord:
    """Runs transactions. A transaction is a function that uses repositories, and runs in a thread from its first
    statement to its commit, in one hop.

    So the event loop is free meanwhile, and no lock is held while it is busy. A function cannot await, so no
    transaction stays open during a call of a model or the network.

    A transaction over `of_workspace` or `of_agent` sees no other workspace's rows, even if a query forgets to filter:
    on Postgres, with the name of a `role`; otherwise, both return the record itself. Other transactions see the whole
    installation.

    The caller owns the engine and disposes of it. `on_turn_end` are called in the transaction in which a turn ends.
    """

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        secret_keys: SecretKeys,
        on_turn_end: Sequence[TurnEndListener],
        role: str = "",
    ) -> None:
        self._engine = engine
        self._reading = read_side(engine)
        self._committed = committed_side(engine, self._reading)
        self._clock = clock
        self._secret_keys = secret_keys
        self._on_turn_end = on_turn_end
        self._role = role
        self._scope: WorkspaceScope | None = None
        self._known = KnownRows()
        self._threads = anyio.CapacityLimiter(SQLITE_READERS if is_sqlite(engine) else POSTGRES_CONNECTIONS)
        self._grouped = GroupedWrites(engine) if is_sqlite(engine) else None

    @property
    def engine(self) -> Engine:
        return self._engine

    def of_workspace(self, workspace_id: UUID) -> Self:
        """For transactions about one workspace."""
        return self._within(WorkspaceScope.of_workspace(self._role, workspace_id)) if self._role else self

    def of_agent(self, agent_id: UUID) -> Self:
        """For transactions about the workspace of one agent, if the caller does not know which it is."""
        return self._within(WorkspaceScope.of_agent(self._role, agent_id)) if self._role else self

    async def read(self, work: Work[Value]) -> Value:
        """What `work` returns, from a consistent snapshot, or what it raises. Does not wait for writers."""
        return await anyio.to_thread.run_sync(self._read, work, limiter=self._threads)

    async def write(self, work: Work[Value]) -> Value:
        """What `work` returns, committed; or what it raises, and then nothing is stored.

        On SQLite, `work` may share its commit with waiting writes and be called twice, so it must have no effect except
        on the database. Raises Overloaded if its turn does not come in time.
        """
        if self._grouped is None:
            return await unbroken(anyio.to_thread.run_sync(self._write, work, limiter=self._threads))
        return await self._grouped.run(lambda connection, is_alone: work(self._over(connection, is_alone=is_alone)))

    async def empty_journal(self) -> bool:
        """Remove erased data from SQLite's write-ahead log; Postgres recycles its own. False if readers kept it busy: a
        later call then does it."""
        if self._grouped is None:
            return True
        with translated_errors():
            return await self._grouped.alone(truncate_wal)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """A transaction like that of `read`, in the calling thread."""
        with translated_errors(), self._reading.connect() as connection:
            yield self._over(self._entered(connection))

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A transaction like that of `write`, in the calling thread. Commits when the block ends, rolls back if it
        raises."""
        with translated_errors(), self._engine.begin() as connection:
            yield self._over(self._entered(connection))

    def _read(self, work: Work[Value]) -> Value:
        with self.reading() as tx:
            return work(tx)

    def _write(self, work: Work[Value]) -> Value:
        with self.writing() as tx:
            return work(tx)

    def _over(self, connection: Connection, *, is_alone: bool = True) -> Transaction:
        before: Callable[[], AbstractContextManager[Connection]] = self._before if is_alone else _refused
        return Transaction(connection, self._clock, self._secret_keys, before, self._on_turn_end, self._known)

    @contextmanager
    def _before(self) -> Iterator[Connection]:
        with self._committed.connect() as connection:
            yield self._entered(connection)

    def _entered(self, connection: Connection) -> Connection:
        if self._scope is not None:
            self._scope.enter(connection)
        return connection

    def _within(self, scope: WorkspaceScope) -> Self:
        """A record for that scope, which shares everything else with this one."""
        scoped = copy(self)
        scoped._scope = scope
        return scoped


def _refused() -> AbstractContextManager[Connection]:
    """Stands for the state before a transaction that shares its commit, where changes by others of its group are not
    committed yet, but count as earlier. Raises MustBeAlone."""
    raise MustBeAlone


class UseCase(Protocol):
    """Base of classes whose methods are decorated with `reads` and `writes`."""

    _records: SystemOfRecord


class Member(Protocol):
    """Somebody who belongs to a workspace: an operator, a program, a visitor."""

    @property
    def workspace_id(self) -> UUID: ...


Owner = TypeVar("Owner", bound=UseCase)
Caller = TypeVar("Caller", bound=Member)


def reads(
    method: Callable[Concatenate[Owner, Transaction, Caller, Given], Value],
) -> Callable[Concatenate[Owner, Caller, Given], Coroutine[Any, Any, Value]]:
    """Decorator that makes the method a read transaction over its caller's workspace. Callers leave out `tx` and await
    it; the method itself cannot await."""

    @wraps(method)
    async def reading(self: Owner, caller: Caller, /, *args: Given.args, **kwargs: Given.kwargs) -> Value:
        own = self._records.of_workspace(caller.workspace_id)
        return await own.read(lambda tx: method(self, tx, caller, *args, **kwargs))

    return reading


def writes(
    method: Callable[Concatenate[Owner, Transaction, Caller, Given], Value],
) -> Callable[Concatenate[Owner, Caller, Given], Coroutine[Any, Any, Value]]:
    """Like `reads`, for a method that changes something: it is committed when it returns, see
    `SystemOfRecord.write`.
    """

    @wraps(method)
    async def writing(self: Owner, caller: Caller, /, *args: Given.args, **kwargs: Given.kwargs) -> Value:
        own = self._records.of_workspace(caller.workspace_id)
        return await own.write(lambda tx: method(self, tx, caller, *args, **kwargs))

    return writing
