"""The days of a report: where they begin and end in a zone, the days before, and what they are cut into."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from app.core.errors import InvalidInput
from app.core.field_rules import zone_named
from app.reports.report_days import ReportDays, report_days
from tests.every_row import every_row

BERLIN = ZoneInfo("Europe/Berlin")


def days_of(first: date, last: date, zone: str = "UTC") -> ReportDays:
    return report_days(first, last, ZoneInfo(zone))


def test_days_begin_and_end_at_the_midnights_of_their_zone() -> None:
    days = days_of(date(2026, 3, 28), date(2026, 3, 29), "Europe/Berlin")
    assert days.since == datetime(2026, 3, 27, 23, tzinfo=UTC)
    assert days.until == datetime(2026, 3, 29, 22, tzinfo=UTC)
    assert days.count == 2


def test_the_days_before_are_as_many_and_end_where_these_begin() -> None:
    days = days_of(date(2026, 3, 1), date(2026, 3, 31))
    assert (days.before.first, days.before.last) == (date(2026, 1, 29), date(2026, 2, 28))
    assert days.before.until == days.since


@every_row(
    ("zone", "first", "last", "offsets"),
    [
        pytest.param("UTC", date(2026, 1, 1), date(2026, 12, 31), [0], id="no change"),
        pytest.param("Europe/Berlin", date(2026, 1, 1), date(2026, 12, 31), [60, 120, 60], id="forward and back"),
        pytest.param("Asia/Kathmandu", date(2026, 1, 1), date(2026, 1, 1), [345], id="by three quarters of an hour"),
        pytest.param("Australia/Lord_Howe", date(2026, 4, 5), date(2026, 4, 5), [660, 630], id="by half an hour"),
        pytest.param("Asia/Beirut", date(2026, 3, 29), date(2026, 3, 29), [180], id="at midnight itself"),
    ],
)
def test_they_are_cut_where_clocks_are_changed(zone: str, first: date, last: date, offsets: list[int]) -> None:
    days = days_of(first, last, zone)
    stretches = days.stretches
    assert [stretch.offset / timedelta(minutes=1) for stretch in stretches] == offsets
    assert (stretches[0].since, stretches[-1].until) == (days.since, days.until)
    assert [stretch.until for stretch in stretches[:-1]] == [stretch.since for stretch in stretches[1:]]


def test_clocks_change_at_the_very_second() -> None:
    _, summer = days_of(date(2026, 3, 29), date(2026, 3, 29), "Europe/Berlin").stretches
    assert summer.since == datetime(2026, 3, 29, 1, tzinfo=UTC)


def test_few_days_are_told_one_by_one_and_many_by_weeks_from_monday_on() -> None:
    assert len(days_of(date(2026, 1, 1), date(2026, 3, 3)).steps) == 62
    weeks = days_of(date(2026, 1, 1), date(2026, 3, 4)).steps  # from a Thursday to a Wednesday
    assert [(week.first.weekday(), week.count) for week in (weeks[0], weeks[1], weeks[-1])] == [(3, 4), (0, 7), (0, 3)]
    assert sum(week.count for week in weeks) == 63


@every_row(
    ("first", "last", "field"),
    [
        pytest.param(date(2026, 1, 2), date(2026, 1, 1), "last", id="none"),
        pytest.param(date(2026, 1, 1), date(2028, 1, 2), "last", id="too many"),
        pytest.param(date(1, 1, 1), date(1, 1, 2), "first", id="too early"),
        pytest.param(date(9999, 12, 30), date(9999, 12, 31), "last", id="too late"),
    ],
)
def test_other_days_are_refused(first: date, last: date, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        report_days(first, last, BERLIN)
    assert refused.value.field == field


@every_row("name", ["", "Mars/Olympus", "../../etc/passwd", "Europe", "/etc/localtime", "A" * 61, "a\x00b"])
def test_what_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        zone_named(name)
    assert zone_named("Europe/Berlin") == BERLIN
