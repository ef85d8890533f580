"""One transaction's session, and what every family of records is built on."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any, cast

from sqlalchemy import CursorResult, Result, Table, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker
from sqlalchemy.orm import ORMExecuteState, Session

from app.ports.clock import Clock
from app.store.engine import is_sqlite, read_side
from app.store.models import Base
from app.store.unbroken import UnbrokenSession

# Rows are read into values at once and never changed as objects: statements write, and each read takes what the
# database has now.
SESSION_OPTIONS = {"populate_existing": True, "synchronize_session": False}

SessionFactory = Callable[[], AsyncSession]


class _ReadingSession(Session):
    """Refuses to write: a change made in a reading transaction would be lost at its end."""


@event.listens_for(_ReadingSession, "do_orm_execute")
def _refuse_writing(state: ORMExecuteState) -> None:
    if state.is_insert or state.is_update or state.is_delete:
        raise RuntimeError("this transaction only reads; use SystemOfRecord.write()")


def writing_sessions(engine: AsyncEngine) -> SessionFactory:
    return async_sessionmaker(
        engine,
        class_=UnbrokenSession if is_sqlite(engine) else AsyncSession,
        autoflush=False,
        expire_on_commit=False,
        execution_options=SESSION_OPTIONS,
    )


def reading_sessions(engine: AsyncEngine) -> SessionFactory:
    return async_sessionmaker(
        read_side(engine),
        class_=UnbrokenSession if is_sqlite(engine) else AsyncSession,
        autoflush=False,
        expire_on_commit=False,
        execution_options=SESSION_OPTIONS,
        sync_session_class=_ReadingSession,
    )


class SqlFamily:
    """One family of records inside one transaction."""

    def __init__(self, session: AsyncSession, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    def _now(self) -> datetime:
        return self._clock.now()

    def _today(self) -> date:
        return self._clock.now().date()

    def _insert(self, table: type[Base] | Table) -> sqlite.Insert:
        """An insert that knows `on_conflict_...`, which both dialects spell alike. Many rows go into a bare table, and
        not into its class, in a fifth of the time."""
        if self._session.get_bind().dialect.name == "postgresql":
            from sqlalchemy.dialects import postgresql

            return cast(sqlite.Insert, postgresql.insert(table))
        return sqlite.insert(table)


def affected_rows(result: Result[Any]) -> int:
    """How many rows an update or delete touched; -1 on Postgres for one with many sets of parameters."""
    return cast(CursorResult[Any], result).rowcount
