"""How much of a site one crawl reads, and which links look like a trap."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from crawler.url_rules import CheckedUrl


@dataclass(frozen=True, slots=True)
class CrawlBudget:
    """The limits of one crawl."""

    max_pages: int = 1000  # URLs in the frontier, whatever their outcome
    max_depth: int = 8  # links from the start
    max_query_variants: int = 30  # URLs of one path that differ in the query only
    max_segment_repeats: int = 3  # /a/b/a/b/a/b/... is a relative link gone wrong
    max_failures_in_row: int = 30  # failed pages in a row: the site is down, or blocks us
    max_seconds: float = 12 * 3600.0  # of one run


class LeftOut(StrEnum):
    """Why a link that is in scope was not queued."""

    TOO_DEEP = "too_deep"
    QUERY_VARIANTS = "query_variants"
    REPEATED_SEGMENTS = "repeated_segments"


class TrapFilter:
    """Refuses links that multiply without end: calendars, sort orders, paths that repeat themselves."""

    def __init__(self, budget: CrawlBudget) -> None:
        self._budget = budget
        self._variants: Counter[str] = Counter()
        self._seen: set[str] = set()

    def refusal(self, url: CheckedUrl) -> LeftOut | None:
        """Call once for each link found; a URL that was allowed once is allowed again."""
        text = str(url)
        if text in self._seen:
            return None
        if _most_repeated(url.path.split("/")) > self._budget.max_segment_repeats:
            return LeftOut.REPEATED_SEGMENTS
        if url.query is not None:
            path = f"{url.origin}{url.path}"
            if self._variants[path] >= self._budget.max_query_variants:
                return LeftOut.QUERY_VARIANTS
            self._variants[path] += 1
        self._seen.add(text)
        return None


def _most_repeated(segments: Iterable[str]) -> int:
    counts = Counter(segment for segment in segments if segment)
    return max(counts.values(), default=0)
