"""Counts, speed and time left of a run."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from app.sources.runs.run_progress import ProgressLook, run_progress
from app.sources.source import CrawlRun, RunState

START = datetime(2026, 1, 1, tzinfo=UTC)
COUNTS = {"queued": 40, "unchanged": 50, "indexed": 7, "duplicate": 1, "not_found": 1, "timed_out": 1}


def a_run(state: RunState = RunState.RUNNING, counts: dict[str, int] | None = None) -> CrawlRun:
    return CrawlRun(UUID(int=1), UUID(int=2), UUID(int=3), state, START, started_at=START, counts=counts or COUNTS)


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_pages_are_counted_by_what_became_of_them() -> None:
    now = run_progress(a_run(), after(10))
    assert (now.queued, now.fetched, now.unchanged, now.indexed, now.failed) == (40, 60, 50, 7, 2)


def test_speed_and_time_left_are_those_since_the_run_began() -> None:
    now = run_progress(a_run(), after(30))
    assert (now.pages_per_second, now.seconds_left) == (2.0, 20)


def test_recent_looks_tell_the_speed_better() -> None:
    looks = [ProgressLook(after(1), 1), ProgressLook(after(90), 50)]
    now = run_progress(a_run(), after(100), looks)
    assert (now.pages_per_second, now.seconds_left) == (1.0, 40)


def test_a_run_that_stands_still_has_no_end_in_sight() -> None:
    now = run_progress(a_run(), after(100), [ProgressLook(after(80), 60)])
    assert (now.pages_per_second, now.seconds_left) == (0.0, None)


@pytest.mark.parametrize("state", [RunState.QUEUED, RunState.PAUSED, RunState.FINISHED])
def test_only_a_run_that_reads_has_a_speed(state: RunState) -> None:
    now = run_progress(a_run(state), after(10))
    assert (now.pages_per_second, now.seconds_left) == (None, None)
