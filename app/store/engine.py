"""Opens a database by URL, with the settings that Docent's guarantees need, and translates its errors into Docent's.
Also a lock among all processes that share the database, on any machine."""

import hashlib
import select
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import structlog
from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    InvalidatePoolError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import NullPool, QueuePool

from app.core.errors import DatabaseAway, DocentError, Misconfigured, NotFound, Overloaded, Unavailable

_BUSY_SECONDS = 5
_MIGRATION_BUSY_SECONDS = 600  # while another process migrates
_WAL_ATTEMPTS = 100
_WAL_PAUSE_SECONDS = 0.02
_RECYCLE_SECONDS = 300  # firewalls forget connections that are idle for longer, and tell neither end
POSTGRES_CONNECTIONS = 20
SQLITE_READERS = 4  # more would not be faster: each holds the interpreter's lock for most of its time
# A writer takes its lock at once, because a transaction that reads first and writes later could not be retried.
_BEGIN_WRITING = "BEGIN IMMEDIATE"
_DRIVERS = {"sqlite": "pysqlite", "postgresql": "psycopg"}
# Otherwise, a host that is gone without a word is waited for until the kernel gives up: minutes, or two hours.
_LOST_HOST = {"connect_timeout": "10", "tcp_user_timeout": "20000"}
_LOST_HOST |= {"keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3"}
_EXAMPLE = "postgresql://user:password@host:5432/docent"


def open_engine(url: str, named: str = "DOCENT_DATABASE_URL") -> Engine:
    """For `sqlite:///path` or `postgresql://...`. Connects with the first transaction; the caller disposes of the
    engine. Raises Misconfigured, whose message begins with `named`, the setting or option that holds the URL."""
    parsed = usable_url(url, named)
    if parsed.get_backend_name() != "sqlite":
        engine = create_engine(
            leaving_lost_hosts(parsed),
            pool_size=10,
            max_overflow=POSTGRES_CONNECTIONS - 10,
            pool_timeout=10,
            pool_recycle=_RECYCLE_SECONDS,
            hide_parameters=True,
        )
        event.listen(engine, "handle_error", leave_server_that_is_away)
        event.listen(engine, "checkout", _replace_what_the_server_ended)
        event.listen(engine, "checkin", _leave_access_mode_to_server)
        return engine
    _make_private_file(parsed, named)
    return _open_sqlite(parsed, _sqlite_settings(_BUSY_SECONDS, foreign_keys=True), _BEGIN_WRITING)


def open_migration_engine(url: URL) -> Engine:
    """One connection for one migration. SQLite changes a table by copying and dropping it, which must not cascade, so
    foreign keys are off and checked at the end."""
    engine = create_engine(url, poolclass=NullPool)
    if is_sqlite(engine):
        settings = _sqlite_settings(_MIGRATION_BUSY_SECONDS, foreign_keys=False)
        event.listen(engine, "connect", settings)
        _begin_by(engine, _BEGIN_WRITING)
    return engine


def read_side(engine: Engine) -> Engine:
    """Engine for transactions that only read, each of which sees a consistent snapshot. On SQLite, it has separate
    read-only connections, which close with `engine`."""
    if not is_sqlite(engine):
        return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    reading = _open_sqlite(engine.url, settle_reader, "BEGIN")
    event.listen(engine, "engine_disposed", lambda _: reading.dispose())
    return reading


def committed_side(engine: Engine, reading: Engine) -> Engine:
    """Engine with which an open write transaction reads the state before it. Postgres gets separate connections:
    writers that waited in one pool for a second connection each would block each other."""
    if is_sqlite(engine):
        return reading
    return read_side(create_engine(engine.url, poolclass=NullPool, hide_parameters=True))


def truncate_wal(engine: Engine) -> bool:
    """Move the content of SQLite's write-ahead log into the database and truncate the log. False if a reader outlasted
    the busy timeout."""
    with engine.connect() as connection:
        raw = connection.connection.driver_connection
        if raw is None:
            return False
        # SQLAlchemy would run it inside a transaction, which cannot truncate the log.
        is_busy, _, _ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy


def is_sqlite(engine: Engine) -> bool:
    return engine.dialect.name == "sqlite"


def _replace_what_the_server_ended(connection: Any, _record: Any, _proxy: Any) -> None:
    """For the event "checkout". On a connection that nobody uses, nothing arrives but its end or a change of the
    server's settings. SQLAlchemy's ping would wait for the server in each of a question's dozen transactions."""
    arrived = select.poll()
    if not connection.closed:
        arrived.register(connection.fileno(), select.POLLIN)
    if connection.closed or arrived.poll(0):
        raise InvalidatePoolError


def _leave_access_mode_to_server(connection: Any, _record: Any) -> None:
    """For the event "checkin". Otherwise, a connection that was used for reading begins its next transaction READ
    WRITE, which writes to a server that was set to read-only, and which a standby rejects as unsupported."""
    if connection is not None and not connection.closed:
        connection.read_only = None


def _open_sqlite(url: URL, settle: Callable[[Any, Any], None], begin: str) -> Engine:
    engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=SQLITE_READERS,
        pool_use_lifo=True,
        max_overflow=0,
        pool_timeout=10,
        # Database errors must not carry what visitors wrote into the logs.
        hide_parameters=True,
        connect_args={"check_same_thread": False},
    )
    event.listen(engine, "connect", settle)
    _begin_by(engine, begin)
    return engine


def _sqlite_settings(busy_seconds: int, *, foreign_keys: bool) -> Callable[[Any, Any], None]:
    def settle(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # we send BEGIN ourselves
        cursor = connection.cursor()
        try:
            cursor.execute(f"PRAGMA busy_timeout = {busy_seconds * 1000}")
            _switch_to_wal(cursor)
            # NORMAL may lose the last commits in a power failure, but `done` is a receipt.
            cursor.execute("PRAGMA synchronous = FULL")
            cursor.execute("PRAGMA secure_delete = ON")
            cursor.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        finally:
            cursor.close()

    return settle


def settle_reader(connection: Any, record: Any) -> None:
    """Handler for the event "connect" of a read-only connection."""
    _sqlite_settings(_BUSY_SECONDS, foreign_keys=False)(connection, record)
    connection.execute("PRAGMA query_only = ON")


def _switch_to_wal(cursor: Any) -> None:
    """Only the first connection ever changes the file. Processes that start together on a new one may be refused at
    once, whatever the busy timeout, so they retry."""
    for _ in range(_WAL_ATTEMPTS):
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            time.sleep(_WAL_PAUSE_SECONDS)
        else:
            return
    cursor.execute("PRAGMA journal_mode = WAL")


def _begin_by(engine: Engine, statement: str) -> None:
    """Let transactions begin with `statement`. The dialect issues it, because an event would make SQLAlchemy look for
    listeners around each statement."""

    def begin(connection: Any) -> None:
        connection.execute(statement)

    engine.dialect.do_begin = begin  # type: ignore[assignment]


def leaving_lost_hosts(url: str | URL) -> URL:
    """The URL with which Postgres' client notices a lost host within half a minute, unless it says otherwise."""
    url = make_url(url)
    return url if url.get_backend_name() == "sqlite" else url.update_query_dict(_LOST_HOST | dict(url.query))


def shown_url(engine: Engine) -> str:
    """The engine's URL as the operator wrote it, for messages, without the password."""
    return engine.url.difference_update_query(_LOST_HOST).render_as_string(hide_password=True)


def usable_url(url: str, named: str) -> URL:
    """The URL with the driver that Docent uses. Raises Misconfigured, like `open_engine`."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise Misconfigured(f"{named}: this is not a database address; write it as {_EXAMPLE}.") from error
    backend, _, driver = parsed.drivername.partition("+")
    if backend not in _DRIVERS or driver not in {"", _DRIVERS[backend]}:
        raise Misconfigured(f"{named}: {parsed.drivername} is not used here; write it as {_EXAMPLE}.")
    if backend == "postgresql" and find_spec("psycopg") is None:
        raise Misconfigured(f"{named}: the driver for Postgres is missing: pip install 'docent[scale]'.")
    return parsed.set(drivername=f"{backend}+{_DRIVERS[backend]}")


def _make_private_file(url: URL, named: str) -> None:
    """Create SQLite's file for the owner of the process alone; its side files inherit these permissions."""
    if not url.database or url.database == ":memory:":
        return
    path = Path(url.database)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=True)
    except OSError as error:
        raise Misconfigured(f"{named}: {path} cannot be created; name a file that Docent may write to.") from error


_BUSY = "The database is busy with other writers. Try again in a moment."
_FULL = "The disk that holds the database is full. Free some space; nothing was stored."

_SQLITE_BUSY = frozenset({"SQLITE_BUSY", "SQLITE_LOCKED"})
_SQLITE_BROKEN = frozenset({"SQLITE_NOTADB", "SQLITE_CORRUPT"})
_POSTGRES_BUSY = frozenset(
    {
        "40001",  # serialization_failure
        "40P01",  # deadlock_detected
        "53300",  # too_many_connections
        "55P03",  # lock_not_available
        "57014",  # query_canceled: a statement timeout
    }
)
_POSTGRES_AWAY = (
    "08",  # connection exceptions
    "25006",  # read_only_sql_transaction: the server is a standby now
    "57P",  # the server shuts down, crashed, starts, or ended our session
)
_POSTGRES_DISK_FULL = "53100"
_POSTGRES_FOREIGN_KEY = "23503"
_POSTGRES_FORBIDDEN = "42501"
_POSTGRES_ROW_CHECK = "ExecWithCheckOptions"  # where Postgres rejects a row that a policy forbids


def leave_server_that_is_away(context: ExceptionContext) -> None:
    """For the event "handle_error". After a failover, a pool still has connections to what is now a standby, which work
    but reject every write; SQLAlchemy discards the whole pool for an error that means a lost server."""
    if str(getattr(context.original_exception, "sqlstate", None) or "").startswith(_POSTGRES_AWAY):
        context.is_disconnect = True


@contextmanager
def translated_errors() -> Iterator[None]:
    """Translate database errors of the block into Docent's. A violated constraint that no code expected passes
    unchanged: it is a bug."""
    try:
        yield
    except PoolTimeout as error:
        raise Overloaded("Every database connection is in use. Try again in a moment.") from error
    except DBAPIError as error:
        translated = _translated(error)
        if translated is None:
            raise
        raise translated from error


def _translated(error: DBAPIError) -> DocentError | None:
    cause = error.orig
    sqlite_name = str(getattr(cause, "sqlite_errorname", None) or "")
    sqlstate = str(getattr(cause, "sqlstate", None) or "")
    if isinstance(error, IntegrityError):
        if sqlite_name == "SQLITE_CONSTRAINT_FOREIGNKEY" or sqlstate == _POSTGRES_FOREIGN_KEY:
            return NotFound("parent record")  # it was erased while its child was being stored
        return None
    if sqlstate == _POSTGRES_FORBIDDEN and _raised_in(cause) == _POSTGRES_ROW_CHECK:
        return NotFound("parent record")  # likewise, or it belongs to another workspace than the transaction
    if sqlstate in _POSTGRES_BUSY or any(sqlite_name.startswith(name) for name in _SQLITE_BUSY):
        return Overloaded(_BUSY)
    if sqlite_name == "SQLITE_FULL" or sqlstate == _POSTGRES_DISK_FULL:
        return Unavailable(_FULL)
    if any(sqlite_name.startswith(name) for name in _SQLITE_BROKEN):
        return Unavailable(f"The database file cannot be read ({cause}). Restore it from a backup.")
    is_away = sqlstate.startswith(_POSTGRES_AWAY) or error.connection_invalidated
    if is_away or isinstance(error, OperationalError | InterfaceError):
        return DatabaseAway(f"The database does not answer ({cause}). Run `docent doctor`.")
    return None


def _raised_in(error: BaseException | None) -> str | None:
    """The Postgres function that raised the error: unlike messages, the same in every language."""
    return getattr(getattr(error, "diag", None), "source_function", None)


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
        """Hold the lock while the block runs; it is released if this process dies. Raises Unavailable."""
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
    """End the transaction, and with it the lock, which is gone already if the server restarted or released it."""
    try:
        connection.rollback()
    except DBAPIError as error:
        log.warning("machine_lock.lost", reason=str(error.orig))
        connection.invalidate()
    finally:
        connection.close()
