"""Copies a system of record from one database to another, and verifies it table by table."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Engine, Table, func, insert, inspect, select, text
from sqlalchemy.exc import DataError, IntegrityError

from app.core.errors import DatabaseAway, InvalidInput, Misconfigured, Unavailable
from app.store.engine import is_sqlite, open_engine, shown_url, translated_errors, usable_url
from app.store.migrate import migrate, missing_migrations
from app.store.processes import DEAD_AFTER_SECONDS, database_time
from app.store.tables import all_tables
from app.store.tables.agents import PROCESSES
from app.store.tables.knowledge import SOURCE_FILES

_LIVING_SECONDS: Final = max(DEAD_AFTER_SECONDS.values())
_ROWS_AT_ONCE: Final = 200
_FILES_AT_ONCE: Final = 1  # up to 200 MiB each
_LOCK_SECONDS: Final = 10


@dataclass(frozen=True, slots=True)
class TableSum:
    """`digest` (hex) is equal for equal rows, whatever their order and their database engine."""

    table: str
    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class CopyStep:
    """Progress: `done` of a table's `rows` rows are in the target."""

    table: str
    done: int
    rows: int


def copy_database(
    source_url: str, target_url: str, source_named: str, target_named: str, on_step: Callable[[CopyStep], None]
) -> list[TableSum]:
    """Copy every row of every table, all in one transaction or none, and return the sums, which are equal in both
    databases. Neither database accepts other writers meanwhile.

    The target is first migrated to this version, and must have no rows; the source must be of this version, and no
    process may serve it. `source_named` and `target_named` are the settings or options that hold the URLs; messages
    begin with them. Raises InvalidInput, Misconfigured, Overloaded, and Unavailable.
    """
    tables = all_tables().sorted_tables
    with _opened_source(source_url, source_named) as source, _opened(target_url, target_named) as target:
        _refuse_what_lives(source, source_named)
        with target.connect() as connection:
            _refuse_rows(connection, target_named)
        migrate(target)
        with translated_errors(), source.begin() as reading, target.begin() as writing:
            for connection in (reading, writing):
                _hold_writers_off(connection)
            _refuse_rows(writing, target_named)
            sums = [_copy_table(table, reading, writing, on_step) for table in tables]
            _refuse_differences(sums, [_sum_of(table, writing) for table in tables])
            if not is_sqlite(target):  # otherwise its planner knows nothing of the new rows
                writing.execute(text(f"ANALYZE {_every_table()}"))
            return sums


def _copy_table(
    table: Table, reading: Connection, writing: Connection, on_step: Callable[[CopyStep], None]
) -> TableSum:
    """Returns the sum of the rows read."""
    rows = reading.execute(select(func.count()).select_from(table)).scalar_one()
    total, done = _RowSum(), 0
    for batch in _batches(table, reading):
        total.add(batch)
        try:
            writing.execute(insert(table), batch)
        except (DataError, IntegrityError) as error:
            reason = getattr(getattr(error.orig, "diag", None), "message_primary", None) or error.orig
            raise Unavailable(f"The target refuses a row of {table.name} ({reason}). Nothing was copied.") from error
        done += len(batch)
        on_step(CopyStep(table.name, done, rows))
    return total.of(table)


def _sum_of(table: Table, connection: Connection) -> TableSum:
    total = _RowSum()
    for batch in _batches(table, connection):
        total.add(batch)
    return total.of(table)


def _batches(table: Table, connection: Connection) -> Iterator[list[dict[str, Any]]]:
    at_once = _FILES_AT_ONCE if table is SOURCE_FILES else _ROWS_AT_ONCE
    rows = connection.execute(select(table), execution_options={"yield_per": at_once})
    for batch in rows.mappings().partitions():
        yield [dict(row) for row in batch]


class _RowSum:
    """A sum of the rows' hashes, because the two databases sort text differently."""

    def __init__(self) -> None:
        self._rows = 0
        self._total = 0

    def add(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            written = json.dumps(_plain(row), sort_keys=True, separators=(",", ":"))
            self._total += int.from_bytes(hashlib.sha256(written.encode()).digest())
        self._rows += len(rows)

    def of(self, table: Table) -> TableSum:
        return TableSum(table.name, self._rows, f"{self._total % 2**256:064x}")


def _plain(value: Any) -> Any:
    """Convert a value to JSON that is equal for both engines: JSONB, for example, stores 1e16 as an integer."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case bytes():
            return hashlib.sha256(value).hexdigest()
        case datetime():
            return value.astimezone(UTC).isoformat()
        case date():
            return value.isoformat()
        case UUID():
            return value.hex
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list():
            return [_plain(item) for item in value]
    return value


@contextmanager
def _opened_source(url: str, named: str) -> Iterator[Engine]:
    path = usable_url(url, named).database if url.startswith("sqlite") else None
    if path is not None and not Path(path).is_file():
        raise Misconfigured(f"{named}: there is no database at {path}; correct the path.")
    with _opened(url, named) as engine:
        missing = missing_migrations(engine)
        if missing:
            raise Misconfigured(
                f"{named}: this database is not of this version, it lacks {len(missing)} migrations; "
                "run `docent migrate` on it first."
            )
        yield engine


@contextmanager
def _opened(url: str, named: str) -> Iterator[Engine]:
    engine = open_engine(url, named)
    try:
        _check_answers(engine, named)
        yield engine
    finally:
        engine.dispose()


def _check_answers(engine: Engine, named: str) -> None:
    try:
        with translated_errors(), engine.connect() as connection:
            connection.execute(select(1))
    except DatabaseAway as error:
        raise Misconfigured(
            f"{named}: {shown_url(engine)} does not answer; start it, or correct the address and the password."
        ) from error


def _refuse_what_lives(engine: Engine, named: str) -> None:
    since = database_time(engine.dialect.name, seconds_ago=_LIVING_SECONDS)
    with translated_errors(), engine.connect() as connection:
        living = connection.scalars(select(PROCESSES.c.name).where(PROCESSES.c.beaten_at >= since)).all()
    if living:
        raise InvalidInput(
            named,
            f"Docent runs on this database ({', '.join(sorted(living))}). Stop every process of it; after a kill, wait "
            f"{_LIVING_SECONDS} seconds.",
        )


def _refuse_rows(connection: Connection, named: str) -> None:
    there = set(inspect(connection).get_table_names())
    tables = [table for table in all_tables().sorted_tables if table.name in there]
    filled = [table.name for table in tables if connection.execute(select(select(table).exists())).scalar_one()]
    if filled:
        raise InvalidInput(named, f"This database is not empty (rows in {', '.join(sorted(filled))}). Name a new one.")


def _refuse_differences(read: list[TableSum], written: list[TableSum]) -> None:
    differing = [one.table for one, other in zip(read, written, strict=True) if one != other]
    if differing:
        raise Unavailable(f"The copy differs in {', '.join(differing)}. Nothing was kept; report this.")


def _hold_writers_off(connection: Connection) -> None:
    """On SQLite, the transaction holds the write lock from its beginning."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'"))
        connection.execute(text(f"LOCK TABLE {_every_table()} IN SHARE ROW EXCLUSIVE MODE"))


def _every_table() -> str:
    return ", ".join(f'"{table.name}"' for table in all_tables().sorted_tables)
