"""A run's progress, speed and remaining time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.sources.source import CrawlRun, RunState

_WINDOW_SECONDS = 30
_NO_FAILURE = frozenset({"queued", "unchanged", "indexed", "duplicate"})


@dataclass(frozen=True, slots=True)
class RunProgress:
    """One look at a run. `fetched` pages have been requested; of these, `failed` gave nothing to learn from, and each
    has its reason among the run's pages. `pages_per_second` and `seconds_left` are None while they are unknown."""

    run_id: UUID
    state: RunState
    stop_reason: str
    queued: int
    fetched: int
    unchanged: int
    indexed: int
    failed: int
    pages_per_second: float | None = None
    seconds_left: int | None = None


@dataclass(frozen=True, slots=True)
class ProgressLook:
    """How many pages had been requested at a moment."""

    at: datetime
    fetched: int


def run_progress(run: CrawlRun, now: datetime, earlier: Sequence[ProgressLook] = ()) -> RunProgress:
    """The speed is that of the last 30 seconds of `earlier` looks at this run, oldest first; without any, that since
    the run began. Only a running run has one."""
    counts = run.counts
    queued = counts.get("queued", 0)
    fetched = sum(counts.values()) - queued
    speed = _pages_per_second(run, now, fetched, earlier) if run.state is RunState.RUNNING else None
    return RunProgress(
        run_id=run.id,
        state=run.state,
        stop_reason=run.stop_reason,
        queued=queued,
        fetched=fetched,
        unchanged=counts.get("unchanged", 0),
        indexed=counts.get("indexed", 0),
        failed=sum(count for status, count in counts.items() if status not in _NO_FAILURE),
        pages_per_second=None if speed is None else round(speed, 2),
        seconds_left=round(queued / speed) if speed else None,
    )


def _pages_per_second(run: CrawlRun, now: datetime, fetched: int, earlier: Sequence[ProgressLook]) -> float | None:
    recent = [look for look in earlier if (now - look.at).total_seconds() <= _WINDOW_SECONDS]
    begin = recent[0] if recent else ProgressLook(run.started_at or now, 0)
    seconds = (now - begin.at).total_seconds()
    return (fetched - begin.fetched) / seconds if seconds > 0 else None
