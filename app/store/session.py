"""Sessions of transactions that write, and of those that only read."""

from collections.abc import Callable

from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker
from sqlalchemy.orm import ORMExecuteState, Session

from app.store.engine import is_sqlite, read_side
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
