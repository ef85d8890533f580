"""The month, day or hour of stored moments as text, to group rows by, and the whole moment as text."""

from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Text, func, literal_column, type_coerce

_HOUR: Final = timedelta(hours=1)


def utc_day(dialect: str, moment: Column[datetime]) -> ColumnElement[str]:
    """For example 2026-01-31."""
    return _utc_date(dialect, moment, "YYYY-MM-DD")


def utc_month(dialect: str, moment: Column[datetime]) -> ColumnElement[str]:
    """For example 2026-01."""
    return _utc_date(dialect, moment, "YYYY-MM")


def utc_moment(dialect: str, moment: Column[datetime]) -> ColumnElement[str]:
    """For example 2026-01-31 17:00:00.000000."""
    if dialect == "sqlite":
        return type_coerce(moment, Text)
    return func.to_char(_in_utc(moment), literal_column("'YYYY-MM-DD HH24:MI:SS.US'"))


def hour_beside_utc(dialect: str, moment: Column[datetime], minutes: timedelta) -> ColumnElement[str]:
    """For example 2026-01-31 17, in a time zone that is ahead of UTC by less than an hour."""
    if not timedelta() <= minutes < _HOUR:
        raise ValueError("whole hours are added to what is read")
    # Written out, because Postgres takes an expression with parameters for a different one in GROUP BY.
    seconds = f"'{int(minutes.total_seconds()):+d} seconds'"
    if dialect != "sqlite":
        shifted: ColumnElement[Any] = _in_utc(moment) + literal_column(f"interval {seconds}")
        return func.to_char(shifted, literal_column("'YYYY-MM-DD HH24'"))
    if minutes:
        return func.strftime(literal_column("'%Y-%m-%d %H'"), moment, literal_column(seconds))
    return _beginning(moment, len("2026-01-31 17"))  # a third cheaper than parsing it as a moment


def _utc_date(dialect: str, moment: Column[datetime], pattern: str) -> ColumnElement[str]:
    if dialect == "sqlite":
        return _beginning(moment, len(pattern))
    return func.to_char(_in_utc(moment), literal_column(f"'{pattern}'"))


def _beginning(moment: Column[datetime], characters: int) -> ColumnElement[str]:
    return func.substr(moment, literal_column("1"), literal_column(str(characters)))


def _in_utc(moment: Column[datetime]) -> ColumnElement[Any]:
    return func.timezone(literal_column("'UTC'"), moment)
