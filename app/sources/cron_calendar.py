"""Port: cron expressions."""

from datetime import datetime
from typing import Protocol


class CronCalendar(Protocol):
    def first_after(self, expression: str, moment: datetime) -> datetime:
        """The first full minute after `moment` (UTC) that the five fields name. Raises InvalidInput (field "cron")
        for an expression that cannot be read or names no moment."""
        ...
