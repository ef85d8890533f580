"""A system of record on a real Postgres, whose row-level security keeps workspaces apart."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from app.kit.clock import Clock
from app.store.database_copy import copy_database
from app.store.engine import open_engine
from app.store.row_security import settle_role
from app.store.system_of_record import SystemOfRecord
from tests.doubles.postgres_server import PostgresServer
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.turn_end_listeners import TURN_END_LISTENERS

ROLE: Final = "docent_workspace"


class CopiesOnPostgres:
    """Each opens a copy of `folder`/docent.sqlite, in a database of its own. Without a `role` nothing but our queries
    keeps workspaces apart."""

    def __init__(self, server: PostgresServer, role: str = ROLE) -> None:
        self._server = server
        self._role = role

    @asynccontextmanager
    async def __call__(self, folder: Path, clock: Clock) -> AsyncIterator[SystemOfRecord]:
        url = self._server.migrated_database()
        copy_database(f"sqlite:///{folder / 'docent.sqlite'}", url, "from", "to", lambda _: None)
        engine = open_engine(url)
        try:
            settle_role(engine, self._role)
            yield SystemOfRecord(engine, clock, TEST_KEYS, TURN_END_LISTENERS, self._role)
        finally:
            engine.dispose()


def make_role(server: PostgresServer) -> None:
    server.say(f"CREATE ROLE {ROLE} NOLOGIN")
