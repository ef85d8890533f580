"""How many tokens of the chat model an agent's visitors may use in a day."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """One agent's day so far. `daily_tokens` is None without a limit."""

    daily_tokens: int | None
    used_tokens: int
    resets_at: datetime

    @property
    def is_spent(self) -> bool:
        return self.daily_tokens is not None and self.used_tokens >= self.daily_tokens


def day_of(now: datetime) -> datetime:
    """The midnight, UTC, at which the day of `now` began."""
    return datetime.combine(now.astimezone(UTC).date(), time(), UTC)


def next_day(now: datetime) -> datetime:
    return day_of(now) + timedelta(days=1)
