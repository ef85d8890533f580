"""What time it is for the database: one clock for all processes, whatever their own say."""

from datetime import datetime

from sqlalchemy import ColumnElement, func, type_coerce

from app.store.types import UtcDateTime


def database_time(dialect: str, *, seconds_ago: int = 0) -> ColumnElement[datetime]:
    """The moment at which the statement runs, or one before it. SQLite's is that of its machine, to the millisecond,
    written as UtcDateTime writes it."""
    if dialect == "postgresql":
        moment = func.clock_timestamp() - func.make_interval(0, 0, 0, 0, 0, 0, seconds_ago)
    else:
        moment = func.strftime("%Y-%m-%d %H:%M:%f", "now", f"-{seconds_ago} seconds").concat("000")
    return type_coerce(moment, UtcDateTime())
