"""A run's progress, speed and remaining time; and whether a reading missed a document of an earlier one, and after how
many misses the document is retired."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from app.sources.source import CrawlRun, RunState

_WINDOW_SECONDS = 30
_NO_FAILURE = frozenset({"queued", "unchanged", "indexed", "duplicate"})


@dataclass(frozen=True, slots=True)
class RunProgress:
    """A run at one moment. `fetched` pages have been requested; of these, `failed` gave nothing to learn from, and each
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
    """Compute the progress. The speed is that of the last 30 seconds of `earlier` looks at this run, oldest first;
    without any, that since the run began. Only a running run has a speed."""
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


RETIRED_AFTER: Final = 3  # readings in a row

_NO_ANSWER: Final = frozenset({"unreachable", "timed_out", "rate_limited", "bot_wall", "http_error"})
_SERVER_ERRORS: Final = 500
# "not_found" and "gone" retire the document of that URL at once; another URL may lead to it as well.
_MISSES: Final = frozenset({"unreachable", "timed_out", "out_of_scope", "not_found", "gone"})


@dataclass(frozen=True, slots=True)
class PageEnd:
    """How one URL ended in a reading."""

    url: str
    status: str
    reason: str
    http_status: int | None = None

    @property
    def is_miss(self) -> bool:
        """Whether the URL may be gone: no response, a server error, or a redirect out of the source. A login,
        robots.txt or a page without text do not prove it."""
        if self.status == "http_error":
            return self.http_status is not None and self.http_status >= _SERVER_ERRORS
        return self.status in _MISSES


def miss_reason(ends: Sequence[PageEnd]) -> str | None:
    """Why a document was missed, if its known URLs ended in this way in a complete reading; None if it was not."""
    if not ends:
        return "No page of the source links to it."
    if all(end.is_miss for end in ends):
        return ends[0].reason
    return None


def is_telling(counts: Mapping[str, int]) -> bool:
    """Whether a reading with these counts says anything about missed pages. If most pages gave no response, the site
    was down, which says nothing about its pages."""
    without_answer = sum(counts.get(status, 0) for status in _NO_ANSWER)
    return 2 * without_answer <= sum(counts.values())


@dataclass(frozen=True, slots=True)
class MissedDocument:
    """A live document that a reading did not find. `readings` counts consecutive misses, including this one;
    `requested_url` is None if nothing led there."""

    id: UUID
    url: str
    readings: int
    reason: str
    requested_url: str | None
