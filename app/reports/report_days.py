"""The range of days of a report, in a time zone."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from app.core.errors import InvalidInput
from app.core.field_rules import MAX_ZONE_CHARS
from app.core.setting import at_most

MOST_DAYS: Final = 731
ZONE: Final = at_most(MAX_ZONE_CHARS)
EARLIEST: Final = date(2000, 1, 1)
LATEST: Final = date(2999, 12, 31)
_DAILY: Final = 62  # the most days shown one by one; more are shown as weeks
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time range with one UTC offset: from `since` until before `until`. `offset` is positive east of UTC."""

    since: datetime
    until: datetime
    offset: timedelta


@dataclass(frozen=True, slots=True)
class ReportDays:
    """The days from `first` to `last`, inclusive, in `zone`."""

    first: date
    last: date
    zone: ZoneInfo

    @property
    def count(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def since(self) -> datetime:
        """The beginning of the first day, in UTC."""
        return self._midnight(self.first)

    @property
    def until(self) -> datetime:
        """The end of the last day, exclusive, in UTC."""
        return self._midnight(self.last + _DAY)

    @property
    def each(self) -> list[date]:
        return [self.first + timedelta(days=number) for number in range(self.count)]

    @property
    def before(self) -> Annotated["ReportDays", "The same number of days, directly before these."]:
        return ReportDays(self.first - timedelta(days=self.count), self.first - _DAY, self.zone)

    @property
    def steps(self) -> list["ReportDays"]:
        """Single days; for more than _DAILY days, weeks from Monday, of which the first and the last may be shorter."""
        if self.count <= _DAILY:
            return [ReportDays(day, day, self.zone) for day in self.each]
        mondays = [day for day in self.each if day == self.first or day.weekday() == 0]
        ends = [*(monday - _DAY for monday in mondays[1:]), self.last]
        return [ReportDays(first, last, self.zone) for first, last in zip(mondays, ends, strict=True)]

    @property
    def stretches(self) -> list[Stretch]:
        """The whole range, split where the zone's offset changes."""
        edges = [self.since]
        moment, until = self.since, self.until
        offset = self._offset(moment)
        while moment < until:
            following = min(moment + _DAY, until)
            if offset != (offset := self._offset(following)):
                edges.append(self._change(moment, following))
            moment = following
        ends = [*edges[1:], until]
        pairs = zip(edges, ends, strict=True)
        return [Stretch(since, until, self._offset(since)) for since, until in pairs if since < until]

    def _midnight(self, day: date) -> datetime:
        return datetime.combine(day, time(), self.zone).astimezone(UTC)

    def _offset(self, moment: datetime) -> timedelta:
        return moment.astimezone(self.zone).utcoffset() or timedelta()

    def _change(self, before: datetime, after: datetime) -> datetime:
        """The first second with the later offset, by bisection."""
        while after - before > timedelta(seconds=1):
            middle = before + timedelta(seconds=(after - before) // timedelta(seconds=2))
            before, after = (middle, after) if self._offset(middle) == self._offset(before) else (before, middle)
        return after


def report_days(first: date, last: date, zone: ZoneInfo) -> ReportDays:
    """Raises InvalidInput."""
    if first < EARLIEST:
        raise InvalidInput("first", f"Choose {EARLIEST} or later.")
    if last > LATEST:
        raise InvalidInput("last", f"Choose {LATEST} or earlier.")
    if last < first:
        raise InvalidInput("last", "Choose a day on or after the first day.")
    days = ReportDays(first, last, zone)
    if days.count > MOST_DAYS:
        raise InvalidInput("last", f"A report covers at most {MOST_DAYS} days.")
    return days
