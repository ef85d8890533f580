"""How values read on the pages: the filters of the templates."""

from collections.abc import Callable
from datetime import datetime, timedelta

from app.web.console.revealed import revealed

_STEPS = ((timedelta(days=365), "year"), (timedelta(days=30), "month"), (timedelta(days=7), "week"))
_FINE_STEPS = ((timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (timedelta(minutes=1), "minute"))


def ago(then: datetime, now: datetime) -> str:
    """Such as "3 days ago"."""
    passed = now - then
    for length, name in (*_STEPS, *_FINE_STEPS):
        count = passed // length
        if count >= 1:
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return "just now" if passed >= timedelta(0) else moment(then)


def moment(then: datetime) -> str:
    return f"{then:%Y-%m-%d %H:%M} UTC"


def day(then: datetime) -> str:
    return f"{then:%Y-%m-%d}"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def number(value: float | None) -> str:
    """With thousands apart, and no digits that mean nothing."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")


def size(count_of_bytes: int) -> str:
    """Such as "20 MiB" or "1.5 KiB"."""
    for unit, length in (("MiB", 1024**2), ("KiB", 1024)):
        if count_of_bytes >= length:
            return f"{count_of_bytes / length:.3g} {unit}"
    return plural(count_of_bytes, "byte")


def words(name: str) -> str:
    """A code such as "low_confidence" as words."""
    return name.replace("_", " ")


def plural(count: int, one: str, many: str = "") -> str:
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


FILTERS: dict[str, Callable[..., object]] = {
    "moment": moment,
    "day": day,
    "percent": percent,
    "number": number,
    "words": words,
    "plural": plural,
    "size": size,
    "revealed": revealed,
}
