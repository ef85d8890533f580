"""A crawl: adds seeds to the frontier and processes its entries, a few at a time.

    take -> visit -> add its links -> on_result -> settle

All state that must survive is in the frontier, and each step may be repeated: a crawl that was killed at any point
continues when `run` is called again with the same frontier.
"""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from crawler.crawl.crawl_summary import (
    LEFT_OUT_COUNTED,
    READ,
    CrawlBudget,
    CrawlSummary,
    LeftOut,
    StopReason,
    TrapFilter,
)
from crawler.crawl.frontier import Frontier, FrontierEntry
from crawler.crawl.page_visit import FileReading, PageVisit
from crawler.discover.crawl_seeds import Seed, sitemap_pages
from crawler.discover.scope import Scope
from crawler.discover.sitemap import SitemapLimits, SitemapReader
from crawler.errors import UrlRefused
from crawler.extract.extraction_pool import Extractor
from crawler.extract.page import Outcome, PageResult
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.http_answers import retry_after_seconds
from crawler.fetch.robots import Robots
from crawler.url_rules import CheckedUrl, check_url, normalise_url

if TYPE_CHECKING:
    from crawler.fetch.playwright_renderer import PlaywrightRenderer  # of the extra `render`

OnResult = Callable[[PageResult], Awaitable[None]]

_NOT_DELIVERED = frozenset({Outcome.TIMED_OUT, Outcome.UNREACHABLE, Outcome.RATE_LIMITED, Outcome.BOT_WALL})


@dataclass(slots=True)
class _Progress:
    """The state of one call of `run`. It is not needed to resume a crawl."""

    traps: TrapFilter
    deadline: float  # by time.monotonic
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    problems: list[tuple[str, str]] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    left_out: dict[LeftOut, set[int]] = field(default_factory=dict)  # hashes of URLs
    under_way: int = 0
    failures_in_row: int = 0
    last_failure: str = ""
    wait_seconds: float = 0.0
    is_over_budget: bool = False
    a_visit_ended: anyio.Event = field(default_factory=anyio.Event)

    def note(self, result: PageResult, patience_seconds: float) -> None:
        """Count how a visit ended."""
        self.outcomes[result.outcome] += 1
        if result.outcome not in READ:
            self.last_failure = result.reason
        is_server_error = result.status is not None and result.status >= 500
        has_failed = result.outcome in _NOT_DELIVERED or (result.outcome is Outcome.HTTP_ERROR and is_server_error)
        self.failures_in_row = self.failures_in_row + 1 if has_failed else 0
        asked = retry_after_seconds(result.headers) if has_failed else None
        if asked is not None and asked > patience_seconds:
            self.wait_seconds = max(self.wait_seconds, asked)

    def leave_out(self, url: str, kind: LeftOut) -> None:
        urls = self.left_out.setdefault(kind, set())
        if len(urls) < LEFT_OUT_COUNTED:
            urls.add(hash(url))

    def left_out_counts(self) -> dict[LeftOut, int]:
        """The number of links left out by kind, without those that were queued after all."""
        known = {hash(url) for url in self.known}
        counts = {kind: len(urls - known) for kind, urls in self.left_out.items()}
        return {kind: count for kind, count in counts.items() if count}


class SiteCrawl:
    """One crawl of one source.

    `concurrency` pages are visited at once; the pacing limits how many of them are on one host. `renderer` is needed
    for pages that are empty until their scripts run, `files` for PDF and Office files. `is_cancelled` is called before
    each page is taken; pages in progress are finished and settled.
    """

    def __init__(
        self,
        seeds: Iterable[Seed],
        scope: Scope,
        frontier: Frontier,
        fetcher: Fetcher,
        robots: Robots,
        extractor: Extractor,
        budget: CrawlBudget | None = None,
        sitemap_limits: SitemapLimits | None = None,
        concurrency: int = 4,
        renderer: "PlaywrightRenderer | None" = None,
        files: FileReading | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._seeds = tuple(seeds)
        self._scope = scope
        self._frontier = frontier
        self._robots = robots
        self._budget = budget or CrawlBudget()
        self._policy = fetcher.policy
        self._patience_seconds = fetcher.limits.max_retry_after_seconds
        self._concurrency = concurrency
        self._is_cancelled = is_cancelled
        self._sitemaps = SitemapReader(fetcher, robots.refusal, sitemap_limits or SitemapLimits())
        self._visits = PageVisit(fetcher, robots, extractor, scope, renderer, files)
        self._follows_links = any(seed.follows_links for seed in self._seeds)
        self._adding = anyio.Lock()

    async def run(self, on_result: OnResult) -> CrawlSummary:
        """Crawl until nothing is left, a budget is spent, the site fails or the crawl is cancelled.

        `on_result` receives each result before it is settled, possibly again after a crash. An error that it raises
        ends the crawl and leaves that entry unsettled.

        To revisit known pages, first add all of them to the frontier with their validators: an UNCHANGED page has no
        body, so its links are not found again.
        """
        progress = _Progress(TrapFilter(self._budget), time.monotonic() + self._budget.max_seconds)
        await self._add_seeds(progress)
        try:
            stopped = await self._visit_all(progress, on_result)
        except BaseExceptionGroup as group:
            raise _first_error(group) from group
        return await self._summary(progress, stopped)

    async def _visit_all(self, progress: _Progress, on_result: OnResult) -> StopReason | None:
        """Visit pages until none is left; return the reason if it stopped before that."""
        async with anyio.create_task_group() as tasks:
            while (stopped := self._early_end(progress)) is None:
                # Read before `take`, which may suspend: a visit that ends in the meantime may add links.
                is_idle, a_visit_ended = progress.under_way == 0, progress.a_visit_ended
                free = self._concurrency - progress.under_way
                entries = await self._frontier.take(free) if free else []
                for entry in entries:
                    progress.known.add(entry.url)
                    progress.under_way += 1
                    tasks.start_soon(self._process, entry, progress, on_result)
                if not entries and is_idle:
                    return None
                if not entries:
                    await a_visit_ended.wait()
        return stopped

    def _early_end(self, progress: _Progress) -> StopReason | None:
        if self._is_cancelled():
            return StopReason.CANCELLED
        if progress.wait_seconds:
            return StopReason.ASKED_TO_WAIT
        if progress.failures_in_row >= self._budget.max_failures_in_row:
            return StopReason.SITE_FAILING
        return StopReason.TIME_BUDGET if time.monotonic() >= progress.deadline else None

    async def _process(self, entry: FrontierEntry, progress: _Progress, on_result: OnResult) -> None:
        visited = await self._visits.visit(entry)
        if self._follows_links:
            await self._add(visited.links, entry.depth + 1, progress)
        await on_result(visited.result)
        await self._frontier.settle(visited.result)
        progress.note(visited.result, self._patience_seconds)
        progress.under_way -= 1
        progress.a_visit_ended.set()
        progress.a_visit_ended = anyio.Event()

    async def _add_seeds(self, progress: _Progress) -> None:
        """Add the seeds and the pages of sitemaps. Repeated on every run, in case an earlier one died in between."""
        checked: list[tuple[Seed, CheckedUrl]] = []
        for seed in self._seeds:
            try:
                checked.append((seed, check_url(seed.url, self._policy)))
            except UrlRefused as error:
                progress.problems.append((seed.url, error.reason))
                continue
            if not seed.is_list and not self._scope.allows(checked[-1][1]):
                progress.problems.append((seed.url, "the start page is outside the source"))
        await self._add((str(url) for seed, url in checked if not seed.is_list), 0, progress)
        for seed, url in checked:
            if self._is_cancelled():
                return
            reading = await sitemap_pages(seed, url, self._robots, self._sitemaps)
            progress.problems.extend(reading.problems)
            listed = [entry.url for entry in reading.entries]
            # In a thread, because there may be 50,000 URLs; no visit uses `progress` yet.
            await self._queue(await to_thread.run_sync(self._wanted, listed, 0, progress), progress)

    async def _add(self, urls: Iterable[str], depth: int, progress: _Progress) -> None:
        """Queue URLs that are in scope, no trap, and within the page budget."""
        if not progress.is_over_budget:
            await self._queue(self._wanted(urls, depth, progress), progress)

    async def _queue(self, wanted: list[FrontierEntry], progress: _Progress) -> None:
        if progress.is_over_budget:
            return
        async with self._adding:  # otherwise two pages could use the same rest of the page budget
            room = self._budget.max_pages - await self._frontier.seen_count()
            while wanted and room > 0:
                batch, wanted = wanted[:room], wanted[room:]
                room -= await self._frontier.add(batch)
                progress.known.update(entry.url for entry in batch)
        if wanted:
            progress.is_over_budget = True

    def _wanted(self, urls: Iterable[str], depth: int, progress: _Progress) -> list[FrontierEntry]:
        entries: dict[str, FrontierEntry] = {}
        for text in urls:
            try:
                normalised = normalise_url(text, self._policy)
                url = check_url(normalised, self._policy)
            except UrlRefused:
                continue
            if normalised in progress.known:
                continue
            if not self._scope.allows(url):
                continue
            if trap := LeftOut.TOO_DEEP if depth > self._budget.max_depth else progress.traps.refusal(url):
                progress.leave_out(normalised, trap)
                continue
            entries.setdefault(normalised, FrontierEntry(normalised, depth))
        return list(entries.values())

    async def _summary(self, progress: _Progress, stopped: StopReason | None) -> CrawlSummary:
        seen = await self._frontier.seen_count()
        if stopped is None:
            stopped = StopReason.FINISHED
            if seen == 0:
                stopped = StopReason.NOTHING_TO_VISIT
            elif progress.is_over_budget:
                stopped = StopReason.PAGE_BUDGET
        return CrawlSummary(
            stopped,
            dict(progress.outcomes),
            seen,
            self._budget,
            tuple(progress.problems),
            progress.left_out_counts(),
            progress.last_failure,
            progress.wait_seconds,
        )


def _first_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error in the group with which a task group wraps the errors of visits."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
