"""A lock among all processes that share the database, on any machine."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import structlog
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from app.store.engine import is_sqlite, translated_errors

log = structlog.get_logger(__name__)


class MachineLock:
    """A lock by name. On SQLite, whose processes share a machine, nothing needs to be separated, so it is always free.

    A holder loses it after `longest_seconds`, so that a machine that hangs or is cut off does not stop the others.
    """

    def __init__(self, engine: Engine, name: str, *, longest_seconds: float = 120.0) -> None:
        self._engine = engine
        self._longest_milliseconds = round(1000 * longest_seconds)
        self._key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[None]:
        """Held while the block runs; released when this process dies. Raises Unavailable."""
        if is_sqlite(self._engine):
            yield
            return
        connection = await anyio.to_thread.run_sync(self._locked)
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(_free, connection)

    def _locked(self) -> Connection:
        with translated_errors():
            connection = self._engine.connect()
            try:
                connection.execute(
                    text(f"SET LOCAL idle_in_transaction_session_timeout = {self._longest_milliseconds}")
                )
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": self._key})
            except BaseException:
                connection.close()
                raise
            return connection


def _free(connection: Connection) -> None:
    """At the transaction's end. It may be free already, if the server restarted or released the lock."""
    try:
        connection.rollback()
    except DBAPIError as error:
        log.warning("machine_lock.lost", reason=str(error.orig))
        connection.invalidate()
    finally:
        connection.close()
