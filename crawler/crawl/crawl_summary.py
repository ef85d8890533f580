"""The limits of a crawl, the filter for links that look like a trap, and the summary of how a crawl ended."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from crawler.extract.page import Outcome
from crawler.url_rules import CheckedUrl


@dataclass(frozen=True, slots=True)
class CrawlBudget:
    max_pages: int = 1000  # URLs in the frontier, with any outcome
    max_depth: int = 8  # links from the start
    max_query_variants: int = 30  # URLs of one path that differ in the query only
    max_segment_repeats: int = 3  # /a/b/a/b/a/b/... is a relative link gone wrong
    max_failures_in_row: int = 30  # after so many, the site is down or blocks us
    max_seconds: float = 12 * 3600.0  # for one run


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
        """Why the link must not be followed, or None. Call it for each link found; an allowed URL stays allowed."""
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


READ = frozenset({Outcome.FETCHED, Outcome.UNCHANGED, Outcome.DUPLICATE})


class StopReason(StrEnum):
    """Why a crawl ended."""

    FINISHED = "finished"  # nothing is left to visit
    PAGE_BUDGET = "page_budget"  # nothing is left except what `max_pages` excluded
    TIME_BUDGET = "time_budget"  # entries are left; run again to continue
    SITE_FAILING = "site_failing"  # too many failed pages in a row; entries may be left
    ASKED_TO_WAIT = "asked_to_wait"  # a Retry-After that is too long; entries may be left
    CANCELLED = "cancelled"  # entries may be left
    NOTHING_TO_VISIT = "nothing_to_visit"  # the start was refused or listed no page in scope


@dataclass(frozen=True, slots=True)
class CrawlSummary:
    """The result of one call of `SiteCrawl.run`. `outcomes` counts the results of this call, `seen` all URLs of the
    crawl so far. `left_out` counts links in scope that were not followed, up to LEFT_OUT_COUNTED of a kind. `problems`
    are (URL, reason) of unreadable sitemap files and a refused start URL. `last_failure` is the reason of the last page
    that could not be read; `wait_seconds` is the server's Retry-After, if that ended the crawl."""

    stopped: StopReason
    outcomes: Mapping[Outcome, int]
    seen: int
    budget: CrawlBudget
    problems: tuple[tuple[str, str], ...] = ()
    left_out: Mapping[LeftOut, int] = field(default_factory=dict)
    last_failure: str = ""
    wait_seconds: float = 0.0

    @property
    def has_read_nothing(self) -> bool:
        """Whether all pages of the crawl were visited in this run, and none could be read."""
        visited = sum(self.outcomes.values())
        return 0 < visited == self.seen and READ.isdisjoint(self.outcomes)

    @property
    def reason(self) -> str:
        """Why the crawl ended, in sentences for a person."""
        sentences = [self._end()]
        if self.has_read_nothing and self.stopped is StopReason.FINISHED:
            sentences = [f"No page could be read: {self.last_failure}."]
        if self.left_out:
            sentences.append(f"Not followed: {', '.join(_left(kind, n, self.budget) for kind, n in self._left_out())}.")
        return " ".join(sentences)

    def _left_out(self) -> list[tuple[LeftOut, int]]:
        return [(kind, self.left_out[kind]) for kind in LeftOut if kind in self.left_out]

    def _end(self) -> str:
        match self.stopped:
            case StopReason.FINISHED:
                return "Every page of the source was visited."
            case StopReason.PAGE_BUDGET:
                return f"The limit of {self.budget.max_pages} pages was reached; there are more."
            case StopReason.TIME_BUDGET:
                limit = duration(self.budget.max_seconds)
                return f"The time limit of a crawl, {limit}, was reached; there are more pages."
            case StopReason.SITE_FAILING:
                failures = self.budget.max_failures_in_row
                last = self.last_failure
                return f"The site stopped responding: {failures} pages in a row failed, the last with: {last}."
            case StopReason.ASKED_TO_WAIT:
                return f"The site asks crawlers to wait for {duration(self.wait_seconds)} (Retry-After)."
            case StopReason.CANCELLED:
                return "The crawl was cancelled."
            case StopReason.NOTHING_TO_VISIT:
                problem = f"{self.problems[0][0]}: {self.problems[0][1]}" if self.problems else "no page is in scope"
                return f"There is nothing to visit: {problem}."


LEFT_OUT_COUNTED = 10_000


def duration(seconds: float) -> str:
    """The duration in its largest fitting unit: "45 seconds", "12 hours", "31 years"."""
    for unit, size in (("year", 365 * 86_400), ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if seconds >= 2 * size or (seconds >= size and seconds % size == 0):
            count = int(seconds // size)
            return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    return f"{seconds:.1f} seconds"


def _left(kind: LeftOut, count: int, budget: CrawlBudget) -> str:
    many = f"more than {LEFT_OUT_COUNTED}" if count >= LEFT_OUT_COUNTED else str(count)
    match kind:
        case LeftOut.TOO_DEEP:
            return f"{many} links more than {budget.max_depth} steps from the start"
        case LeftOut.QUERY_VARIANTS:
            return f"{many} addresses beyond {budget.max_query_variants} that differ in their query only"
        case LeftOut.REPEATED_SEGMENTS:
            return f"{many} addresses whose path repeats itself"
