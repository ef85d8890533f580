"""A lock among all processes that share the database, on whatever machine."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from sqlalchemy import Connection, Engine, text

from app.store.engine import is_sqlite
from app.store.vendor_errors import translated_errors


class MachineLock:
    """Of one name. On SQLite, whose processes share a machine, there is nothing to keep apart: it is always free."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[None]:
        """Held while the block runs; lost, and so free for others, when this process ends. Raises Unavailable."""
        if is_sqlite(self._engine):
            yield
            return
        connection = await anyio.to_thread.run_sync(self._locked)
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(connection.close)  # the transaction's end frees it

    def _locked(self) -> Connection:
        with translated_errors():
            connection = self._engine.connect()
            try:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": self._key})
            except BaseException:
                connection.close()
                raise
            return connection
