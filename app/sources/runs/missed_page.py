"""When a reading missed a page that an earlier one had found, and when that has happened often enough."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

RETIRED_AFTER: Final = 3  # readings in a row

_NO_ANSWER: Final = frozenset({"unreachable", "timed_out", "rate_limited", "http_error"})
_SERVER_ERRORS: Final = 500
# "not_found" and "gone" retire what is known by that URL at once; another URL may have led to the document.
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
        """No answer, a server error, or an answer that leads out of the source. A login, robots.txt or a page without
        text say that the page is there: they prove neither."""
        if self.status == "http_error":
            return self.http_status is not None and self.http_status >= _SERVER_ERRORS
        return self.status in _MISSES


def miss_reason(ends: Sequence[PageEnd]) -> str | None:
    """Why a document was missed, whose known URLs ended so in a complete reading; None when it was not."""
    if not ends:
        return "Nothing in the source leads to it."
    if all(end.is_miss for end in ends):
        return ends[0].reason
    return None


def is_telling(counts: Mapping[str, int]) -> bool:
    """Whether a reading with these pages by status says anything about the pages that it missed. One in which most
    got no answer tells of the site's bad hour, not of its pages."""
    without_answer = sum(counts.get(status, 0) for status in _NO_ANSWER)
    return 2 * without_answer <= sum(counts.values())


@dataclass(frozen=True, slots=True)
class MissedDocument:
    """A live document that a reading did not find. `readings` counts the misses in a row, this one included; `asked`
    is the URL that the reading asked for it, None when nothing led it there."""

    id: UUID
    url: str
    readings: int
    reason: str
    asked: str | None
