"""Cron expressions, parsed by cronsim as Debian's cron does."""

from datetime import datetime

from cronsim import CronSim, CronSimError

from app.core.errors import InvalidInput

_FIELDS = 5


class CronCalendar:
    def first_after(self, expression: str, moment: datetime) -> datetime:
        """The first full minute after `moment` (UTC) that matches the five fields. Raises InvalidInput (field "cron")
        for an expression that is invalid or never matches."""
        if len(expression.split()) != _FIELDS:
            raise InvalidInput("cron", 'Enter five fields, such as "0 3 * * *" for 03:00 UTC every day.')
        try:
            found = next(CronSim(expression, moment), None)
        except CronSimError as error:
            raise InvalidInput(
                "cron", f'{error}. Enter minute, hour, day of month, month and day of week, such as "30 4 * * 1-5".'
            ) from error
        if found is None:
            raise InvalidInput("cron", "This matches no time in the next fifty years. Check the day and the month.")
        return found
