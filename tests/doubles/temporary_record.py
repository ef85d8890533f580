"""A system of record for one test: a real SQLite file, migrated once and copied from then on."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.kit.clock import Clock
from app.store.engine import open_engine
from app.store.migrate import migrate
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.turn_end_listeners import TURN_END_LISTENERS

_template = b""


@asynccontextmanager
async def temporary_record(folder: Path, clock: Clock | None = None) -> AsyncIterator[SystemOfRecord]:
    """Opens `folder`/docent.sqlite, made on first use, and closes it when the block ends: opening the same folder
    again is a restart."""
    engine = open_engine(await temporary_database(folder))
    try:
        yield SystemOfRecord(engine, clock or FixedClock(), TEST_KEYS, TURN_END_LISTENERS)
    finally:
        engine.dispose()


async def temporary_database(folder: Path) -> str:
    """The URL of `folder`/docent.sqlite, a migrated and empty database on first use."""
    path = folder / "docent.sqlite"
    if not path.exists():
        path.write_bytes(migrated_database())
    return f"sqlite:///{path}"


def migrated_database() -> bytes:
    """The file of a migrated and empty database. Kept in memory, so that a test process that dies leaves no file
    behind."""
    global _template
    if not _template:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "docent.sqlite"
            engine = open_engine(f"sqlite:///{path}")
            try:
                migrate(engine)
            finally:
                engine.dispose()
            _template = path.read_bytes()
    return _template
