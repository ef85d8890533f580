"""Opening hours: when somebody is there for a live chat, and when next."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from app.agents.agent import AgentConfig
from app.agents.agent_rules import checked_config
from app.agents.opening_hours import MAX_LINES, closes_at, normal_hours, opens_at
from app.core.errors import InvalidInput
from tests.every_row import every_row

BERLIN = ZoneInfo("Europe/Berlin")
WEEK = ("mon-fri 09:00-17:00", "sat 10:00-24:00")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@every_row(
    ("now", "opens"),
    [
        pytest.param("2026-01-01T08:00", None, id="Thursday, 9 in Berlin: just opened"),
        pytest.param("2026-01-01T07:59", "2026-01-01T09:00+01:00", id="a minute before"),
        pytest.param("2026-01-01T16:00", "2026-01-02T09:00+01:00", id="17 in Berlin: closed until tomorrow"),
        pytest.param("2026-01-03T22:59", None, id="Saturday to midnight"),
        pytest.param("2026-01-03T23:00", "2026-01-05T09:00+01:00", id="over Sunday to Monday"),
        pytest.param("2026-03-29T00:30", "2026-03-30T09:00+02:00", id="over the change to summer time"),
        pytest.param("2026-06-01T07:00", None, id="in summer 9 is another moment"),
    ],
)
def test_when_somebody_is_there(now: str, opens: str | None) -> None:
    found = opens_at(WEEK, BERLIN, at(now))
    assert found == (None if opens is None else datetime.fromisoformat(opens))
    assert found is None or found.isoformat(timespec="minutes") == opens


def test_without_hours_somebody_is_always_there() -> None:
    assert opens_at((), BERLIN, at("2026-01-04T03:00")) is None


@every_row(
    ("lines", "now", "closes"),
    [
        pytest.param(WEEK, "2026-01-01T08:00", "2026-01-01T17:00+01:00", id="today"),
        pytest.param(WEEK, "2026-01-01T16:00", None, id="closed already"),
        pytest.param(("fri-sat 20:00-24:00", "sat-sun 00:00-04:00"), "2026-01-02T20:00", "2026-01-03T04:00+01:00",
                     id="past midnight"),
        pytest.param(("mon-sun 00:00-24:00",), "2026-01-01T08:00", None, id="never"),
        pytest.param((), "2026-01-01T08:00", None, id="no hours"),
    ],
)  # fmt: skip
def test_until_when_somebody_is_there(lines: tuple[str, ...], now: str, closes: str | None) -> None:
    found = closes_at(lines, BERLIN, at(now))
    assert (None if found is None else found.isoformat(timespec="minutes")) == closes


def test_one_hour_a_week_is_found_a_week_ahead() -> None:
    assert opens_at(("thu 12:00-13:00",), ZoneInfo("UTC"), at("2026-01-01T13:00")) == at("2026-01-08T12:00")


@pytest.mark.parametrize("line", ["sun 02:00-03:00", "sun 02:30-03:00"])
def test_nobody_comes_in_the_hour_that_summer_time_skips(line: str) -> None:
    opens = opens_at((line,), BERLIN, at("2026-03-28T12:00"))
    assert opens is not None
    assert opens.date().isoformat() == "2026-04-05"


def test_days_may_run_over_the_end_of_the_week() -> None:
    over = ("sat-mon 00:00-24:00",)
    assert [opens_at(over, ZoneInfo("UTC"), at(f"2026-01-0{day}T12:00")) is None for day in range(1, 7)] == [
        *(False, False),
        *(True, True, True),
        False,
    ]


@pytest.mark.parametrize(
    ("line", "normal"),
    [
        pytest.param("Mon-Fri  9:00-17:00", "mon-fri 09:00-17:00", id="case, blanks and one digit"),
        pytest.param("sun 10:00 \u2013 12:30", "sun 10:00-12:30", id="a dash of printers"),
    ],
)
def test_lines_have_a_normal_form(line: str, normal: str) -> None:
    assert normal_hours(line) == normal


@every_row("line", ["", "weekdays 9-5", "mon 17:00-09:00", "mon 09:00-24:01", "mon 09:60-10:00", "fri"])
def test_what_names_no_hours_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"Enter days and hours|Use hours from"):
        normal_hours(line)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        pytest.param({"opening_hours": ("mon 09:00-17:00", "always")}, r"opening_hours\.1", id="a line"),
        pytest.param({"opening_hours": ("mon 09:00-17:00",) * (MAX_LINES + 1)}, "opening_hours", id="too many"),
        pytest.param({"time_zone": "Berlin"}, "time_zone", id="a zone"),
    ],
)
def test_an_agent_says_which_field_is_wrong(wrong: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{field}: "):
        checked_config(replace(AgentConfig(name="Docs"), **wrong))  # type: ignore[arg-type]
