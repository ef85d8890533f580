"""A clock that stands until it is moved."""

from datetime import UTC, datetime, timedelta


class FixedClock:
    def __init__(self, now: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


class FixedSeconds:
    """As a clock that counts seconds from anywhere."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds
