"""When the next reading of a source is due."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from app.core.errors import InvalidInput
from app.sources.cron_calendar import CronCalendar
from app.sources.source import CRON_JITTER, Schedule, jitter, next_run
from tests.every_row import every_row

SOURCE = UUID(int=7)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def due(schedule: Schedule, now: datetime, set_at: datetime = NOON, source: UUID = SOURCE) -> datetime:
    return next_run(schedule, source, set_at, now, CronCalendar().first_after)


def test_every_six_hours_counts_from_the_moment_it_was_set() -> None:
    every_six = Schedule(every_hours=6)
    first = due(every_six, NOON)
    late = jitter(SOURCE, 0.6 * HOUR)
    assert first == NOON + 6 * HOUR + late
    assert due(every_six, first - timedelta(seconds=1)) == first
    assert due(every_six, first) == first + 6 * HOUR


def test_due_times_that_passed_are_made_up_for_once() -> None:
    first = due(Schedule(every_hours=6), NOON)
    assert due(Schedule(every_hours=6), first + 25 * HOUR) == first + 30 * HOUR
    assert due(Schedule(cron="0 3 * * *"), NOON + 100 * 24 * HOUR) > NOON + 100 * 24 * HOUR


def test_a_cron_expression_is_read_in_utc_and_a_little_late() -> None:
    late = jitter(SOURCE, CRON_JITTER)
    at_three = datetime(2026, 1, 2, 3, tzinfo=UTC) + late
    assert due(Schedule(cron="0 3 * * *"), NOON) == at_three
    assert due(Schedule(cron="0 3 * * *"), at_three - timedelta(seconds=1)) == at_three
    assert due(Schedule(cron="0 3 * * *"), at_three) == at_three + 24 * HOUR


def test_sources_of_one_schedule_are_spread_out() -> None:
    moments = {due(Schedule(every_hours=24), NOON, source=uuid4()) for _ in range(50)}
    assert len(moments) > 40
    assert max(moments) - min(moments) < HOUR
    assert all(timedelta(0) <= jitter(uuid4(), CRON_JITTER) < CRON_JITTER for _ in range(200))


@every_row(
    ("cron", "words"),
    [
        ("", "five fields"),
        ("@daily", "five fields"),
        ("0 0 3 * * *", "five fields"),
        ("61 * * * *", "Bad minute"),
        ("0 3 31 2 *", "Bad day-of-month"),
    ],
)
def test_an_expression_that_names_no_moment_is_refused_with_the_fix(cron: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        CronCalendar().first_after(cron, NOON)
