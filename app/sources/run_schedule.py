"""When a source is read again by itself."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

FirstAfter = Callable[[str, datetime], datetime]

CRON_JITTER: Final = timedelta(minutes=10)
_MAX_JITTER: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Exactly one is set: `cron`, five fields in UTC, or `every_hours`."""

    cron: str = ""
    every_hours: int = 0


@dataclass(frozen=True, slots=True)
class SourceSchedule:
    """A source's schedule: since when it holds, and when the next reading is due."""

    source_id: UUID
    agent_id: UUID
    schedule: Schedule
    set_at: datetime
    next_at: datetime


def next_run(schedule: Schedule, source_id: UUID, set_at: datetime, now: datetime, first_after: FirstAfter) -> datetime:
    """The first due time after `now`. Due times that passed meanwhile are skipped: one reading makes up for all.

    Each source is a little late, always by the same time, drawn from its id: up to ten minutes with `cron`, a tenth
    of the pause (one hour at most) with `every_hours`. Else all sources of a host would begin in the same second.
    `first_after` gives a cron expression's first moment after another.
    """
    if schedule.cron:
        late = jitter(source_id, CRON_JITTER)
        return first_after(schedule.cron, now - late) + late
    pause = timedelta(hours=schedule.every_hours)
    first = set_at + pause + jitter(source_id, min(pause / 10, _MAX_JITTER))
    passed = max(0, (now - first) // pause + 1)
    return first + passed * pause


def jitter(source_id: UUID, at_most: timedelta) -> timedelta:
    """In whole seconds, [0, at_most), the same for the same source."""
    drawn = int.from_bytes(hashlib.sha256(source_id.bytes).digest()[:4]) / 2**32
    return timedelta(seconds=int(drawn * at_most.total_seconds()))
