"""A system of record for one test: a real SQLite file, migrated once and copied from then on."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.adapters.sql.engine import open_engine
from app.adapters.sql.migrate import migrate
from app.adapters.sql.system_of_record import SqlSystemOfRecord
from app.ports.clock import Clock
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.secret_keys import TEST_KEYS

_template: Path | None = None


@asynccontextmanager
async def temporary_record(folder: Path, clock: Clock | None = None) -> AsyncIterator[SqlSystemOfRecord]:
    """Opens `folder`/docent.sqlite, made on first use, and closes it when the block ends: opening the same folder
    again is a restart."""
    engine = open_engine(await temporary_database(folder))
    try:
        yield SqlSystemOfRecord(engine, clock or FixedClock(), TEST_KEYS)
    finally:
        await engine.dispose()


async def temporary_database(folder: Path) -> str:
    """The URL of `folder`/docent.sqlite, a migrated and empty database on first use."""
    path = folder / "docent.sqlite"
    if not path.exists():
        shutil.copyfile(await _migrated_template(), path)
    return f"sqlite+aiosqlite:///{path}"


async def _migrated_template() -> Path:
    global _template
    if _template is None:
        path = Path(tempfile.mkdtemp(prefix="docent-template-")) / "docent.sqlite"
        engine = open_engine(f"sqlite+aiosqlite:///{path}")
        try:
            await migrate(engine)
        finally:
            await engine.dispose()
        _template = path
    return _template
