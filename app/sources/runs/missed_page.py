"""Decides when a reading missed a page that an earlier one had found, and when that has happened often enough."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

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
        """No response, a server error, or a redirect out of the source. A login, robots.txt or a page without text do
        not prove that the page is gone."""
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
    """A live document that a reading did not find. `readings` counts consecutive misses, including this one; `asked` is
    the URL that the reading requested for it, None if nothing led there."""

    id: UUID
    url: str
    readings: int
    reason: str
    asked: str | None
