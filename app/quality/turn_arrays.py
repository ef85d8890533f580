"""Questions as arrays, from which figures over many days are computed at once: an element of each array is a
question.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.quality.quality import TurnCounts

OUTCOMES: Final = ("answered", "abstained", "failed", "handed_over")  # the names in TurnCounts
RATINGS: Final = (None, "up", "down")
UNTIMED: Final = -1
# `at` is in microseconds since 1970. `outcome` and `rating` are indices in the lists above, `language` and `page`
# indices in lists of names. `conversation` and `visitor` are the lower halves of ids, which are random.
TURN: Final = np.dtype(
    [
        ("at", "<i8"),
        ("outcome", "u1"),
        ("is_curated", "?"),
        ("rating", "u1"),
        ("first_word", "<i4"),
        ("language", "<u4"),
        ("page", "<u4"),
        ("conversation", "<u8"),
        ("visitor", "<u8"),
    ]
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_RANKS: Final = (0.5, 0.95)
_CELLS: Final = len(OUTCOMES) * len(RATINGS)

Rows = NDArray[np.void]
Places = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class TurnArrays:
    """`agents` has each turn's place in the requested list; `language` and `page` are places in these lists."""

    turns: Rows
    agents: Places
    languages: Sequence[str]
    pages: Sequence[str]

    def inside(self, since: datetime, until: datetime) -> NDArray[np.bool_]:
        """Whether each was asked from `since` on and before `until`."""
        moments = self.turns["at"]
        return np.asarray((moments >= microseconds(since)) & (moments < microseconds(until)))

    def between(self, since: datetime, until: datetime) -> "TurnArrays":
        inside = self.inside(since, until)
        return TurnArrays(self.turns[inside], self.agents[inside], self.languages, self.pages)

    def distinct(self, field: str) -> int:
        """The number of conversations or visitors. Sorting is several times as fast as hashing."""
        ordered = np.sort(self.turns[field])
        return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + bool(len(ordered))

    def latest(self, at_most: int) -> Rows:
        """The latest `at_most` turns, and any others of the moment at which these begin."""
        if len(self.turns) <= at_most:
            return self.turns
        moments = self.turns["at"]
        place = len(moments) - at_most
        latest: Rows = self.turns[moments >= np.partition(moments, place)[place]]
        return latest


def tallies(turns: Rows, places: Places, count: int) -> list[TurnCounts]:
    """Count the outcomes of the questions at each place; `places` has the place of each, below `count`."""
    each = (places.astype(np.int64) * len(OUTCOMES) + turns["outcome"]) * len(RATINGS) + turns["rating"]
    return tallied(np.bincount(each, minlength=count * _CELLS).reshape(count, len(OUTCOMES), len(RATINGS)))


def tallied(counts: NDArray[np.int64]) -> list[TurnCounts]:
    """`counts` are numbers of questions, with the axes place, outcome and rating."""
    by_outcome = counts.sum(axis=2)
    by_rating = counts.sum(axis=1)
    rows = np.column_stack([by_outcome.sum(axis=1), by_outcome, by_rating[:, 1:]])
    return [TurnCounts(*row) for row in rows.tolist()]


def by_place(values: NDArray[Any], places: Places, count: int) -> list[NDArray[Any]]:
    """The values split by their places, which are below `count`."""
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=count))
    return np.split(values[order], ends[:-1])


def nearest_ranks(milliseconds: NDArray[np.int32]) -> tuple[int | None, int | None]:
    """The median and the 95th percentile; None without values. UNTIMED values do not count."""
    timed = np.sort(milliseconds[milliseconds != UNTIMED])
    p50, p95 = (int(timed[min(len(timed) - 1, int(len(timed) * share))]) if len(timed) else None for share in _RANKS)
    return p50, p95


def microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
