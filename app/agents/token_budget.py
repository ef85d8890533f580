"""Limits on the chat model's tokens: of an agent, of one visitor, and of all agents of a workspace."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final

from app.kit.clock import begin_of

OF_DAY: Final = "daily_tokens"
OF_MONTH: Final = "monthly_tokens"
OF_WORKSPACE: Final = "workspace_"
OF_VISITOR: Final = "visitor_daily_tokens"  # hidden from operators' budgets and events: each visitor has their own
LIMIT_NAMES: Final = (OF_DAY, OF_MONTH, OF_WORKSPACE + OF_DAY, OF_WORKSPACE + OF_MONTH)


@dataclass(frozen=True, slots=True)
class WorkspaceTokens:
    """What all agents of a workspace may use together in a day and in a month; None: no limit."""

    daily: int | None = None
    monthly: int | None = None


UNLIMITED: Final = WorkspaceTokens()


@dataclass(frozen=True, slots=True)
class TokenLimit:
    """`used_tokens` are those of the days, by UTC, from `since` until it resets."""

    name: Annotated[
        str,
        "daily_tokens and monthly_tokens are the agent's; workspace_daily_tokens and "
        "workspace_monthly_tokens those of all agents of its workspace together.",
    ]
    tokens: int
    used_tokens: Annotated[int, "Since midnight UTC, or the first of the month, by turns that have ended."]
    since: date
    resets_at: datetime

    @property
    def left(self) -> int:
        return self.tokens - self.used_tokens

    @property
    def is_spent(self) -> bool:
        return self.left <= 0

    @property
    def spent_message(self) -> str:
        """Two sentences for operators: the limit is spent, and when it resets."""
        *owner, period, _ = self.name.split("_")
        whose = f"The {owner[0] if owner else 'agent'}'s {period}_tokens"
        return f"{whose} are used up. They reset on {self.resets_at.date().isoformat()} at midnight UTC."


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """One agent's usage today, and all limits that apply to it."""

    used_tokens: Annotated[int, "Since midnight UTC, by turns that have ended."]
    resets_at: Annotated[datetime, "The next midnight UTC."]
    limits: tuple[TokenLimit, ...] = ()

    @property
    def daily_tokens(self) -> Annotated[int | None, "As published; null without a limit."]:
        return next((limit.tokens for limit in self.limits if limit.name == OF_DAY), None)

    @property
    def is_spent(self) -> Annotated[bool, "Whether one of the limits is reached."]:
        return any(limit.is_spent for limit in self.limits)


def day_of(now: datetime) -> datetime:
    """The midnight, UTC, at which the day of `now` began."""
    return begin_of(now.astimezone(UTC).date())


def next_day(now: datetime) -> datetime:
    return day_of(now) + timedelta(days=1)


def month_of(now: datetime) -> datetime:
    """The midnight, UTC, at which the month of `now` began."""
    return day_of(now).replace(day=1)


def next_month(now: datetime) -> datetime:
    return month_of(month_of(now) + timedelta(days=31))
