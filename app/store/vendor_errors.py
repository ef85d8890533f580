"""Translates database errors into ours. A violated constraint that no code expected stays as it is: it is a bug."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import ExceptionContext
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.core.errors import DatabaseAway, DocentError, NotFound, Overloaded, Unavailable

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
    """The Postgres function that raised it: unlike its messages, the same in every language."""
    return getattr(getattr(error, "diag", None), "source_function", None)
