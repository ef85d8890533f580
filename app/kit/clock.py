"""The current time, and when a day begins, both in UTC."""

from datetime import UTC, date, datetime, time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The current time in UTC, timezone-aware."""
        ...


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def begin_of(day: date) -> datetime:
    """Midnight (UTC) at the start of `day`."""
    return datetime.combine(day, time(), UTC)
