"""Opening hours of live chats, one span per line, such as "mon-fri 09:00-17:00"."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

MAX_LINES: Final = 21
_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY: Final = "|".join(_DAYS)
_LINE: Final = re.compile(rf"({_DAY})(?:-({_DAY}))? (\d\d):(\d\d)-(\d\d):(\d\d)", re.ASCII)
_WHOLE_DAY: Final = 24 * 60


def normal_hours(line: str) -> str:
    """The line in its normal form. Raises ValueError, with the fix."""
    line_of_hours = re.sub(r" ?[-\u2013] ?", "-", " ".join(line.lower().split()))
    line_of_hours = re.sub(r"(?<![\d:])(\d):", r"0\1:", line_of_hours)  # "9:00"
    _span(line_of_hours)
    return line_of_hours


def opens_at(lines: Sequence[str], zone: ZoneInfo, now: datetime) -> datetime | None:
    """The next opening, in that zone; None if it is open now, which it always is without lines. The lines are in their
    normal form."""
    hours = _hours(lines, zone, now)
    if not lines or any(opens <= now < closes for opens, closes in hours):
        return None
    return min(opens for opens, _ in hours if opens > now).astimezone(zone)


def closes_at(lines: Sequence[str], zone: ZoneInfo, now: datetime) -> datetime | None:
    """The next closing, in that zone; None if it is closed now, or open for the next week. The lines are in their
    normal form."""
    hours = _hours(lines, zone, now)
    until = now
    # A span that begins where another ends, such as at midnight, continues it.
    while (later := max((closes for opens, closes in hours if opens <= until < closes), default=until)) > until:
        until = later
    return until.astimezone(zone) if now < until < now + timedelta(days=7) else None


def _hours(lines: Sequence[str], zone: ZoneInfo, now: datetime) -> list[tuple[datetime, datetime]]:
    """The open spans in UTC, from the day before `now` to eight days after."""
    spans = [_span(line) for line in lines]
    today = now.astimezone(zone).date()
    nearby = [today + timedelta(days=ahead) for ahead in range(-1, 9)]  # a span of yesterday may end at midnight
    open_spans = [
        (_moment(day, start, zone), _moment(day, end, zone))
        for day in nearby
        for days, start, end in spans
        if day.weekday() in days
    ]
    return [(opens, closes) for opens, closes in open_spans if opens < closes]  # not in the hour that a clock skips


def _span(line: str) -> tuple[frozenset[int], int, int]:
    """Weekdays (0 is Monday) and minutes from midnight. Raises ValueError."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError('Enter days and hours, such as "mon-fri 09:00-17:00".')
    first = _DAYS.index(found[1])
    last = first if found[2] is None else _DAYS.index(found[2])
    start, end = int(found[3]) * 60 + int(found[4]), int(found[5]) * 60 + int(found[6])
    if int(found[4]) > 59 or int(found[6]) > 59 or not start < end <= _WHOLE_DAY:
        raise ValueError("Use hours from 00:00 to 24:00, the earlier first. For hours past midnight, add another line.")
    return frozenset((first + step) % 7 for step in range((last - first) % 7 + 1)), start, end


def _moment(day: date, minutes: int, zone: ZoneInfo) -> datetime:
    """The moment in UTC, because Python compares datetimes of the same zone by wall-clock time."""
    more, rest = divmod(minutes, _WHOLE_DAY)
    local = datetime.combine(day + timedelta(days=more), time(rest // 60, rest % 60), zone)
    return local.astimezone(UTC)
