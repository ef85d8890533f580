"""A crawl: seeds into the frontier, entries out of it, a few at a time, each visited, reported and settled.

    take -> visit -> add its links -> on_result -> settle

Everything that must survive lies in the frontier, and each step may be repeated: a crawl that was killed at any
point goes on when `run` is called again over the same frontier.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import anyio

from crawler.crawl_budget import CrawlBudget, TrapFilter
from crawler.crawl_seeds import Seed, SeedKind, sitemap_pages
from crawler.errors import UrlRefused
from crawler.extractor import Extractor
from crawler.fetcher import Fetcher
from crawler.frontier import Frontier, FrontierEntry
from crawler.page import Outcome, PageResult
from crawler.page_claims import MemoryPageClaims, PageClaims
from crawler.page_visit import PageVisit
from crawler.robots import Robots
from crawler.scope import Scope
from crawler.sitemap_reader import SitemapLimits, SitemapReader
from crawler.url_rules import CheckedUrl, check_url, normalise_url

OnResult = Callable[[PageResult], Awaitable[None]]


class StopReason(StrEnum):
    """Why a crawl ended."""

    FINISHED = "finished"  # nothing is left to visit
    PAGE_BUDGET = "page_budget"  # nothing is left but what `max_pages` kept out
    CANCELLED = "cancelled"  # entries may be left; run again to go on
    NOTHING_TO_VISIT = "nothing_to_visit"  # the start was refused or listed no page in scope


@dataclass(frozen=True, slots=True)
class CrawlSummary:
    """What one call of `run` did. `outcomes` counts its own results, `seen` all URLs of the crawl so far;
    `problems` are sitemap files that could not be read, and a refused start URL, each with its reason."""

    stopped: StopReason
    outcomes: Mapping[Outcome, int]
    seen: int
    problems: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Progress:
    """What this process knows of its own run; none of it is needed to resume."""

    traps: TrapFilter
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    problems: list[tuple[str, str]] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    under_way: int = 0
    is_over_budget: bool = False
    a_visit_ended: anyio.Event = field(default_factory=anyio.Event)


class SiteCrawl:
    """One crawl of one source.

    `concurrency` pages are under way at once (how many of them on one host is the pacing's matter).
    `is_cancelled` is asked before each page is taken; pages under way are finished and settled.
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
        claims: PageClaims | None = None,
        concurrency: int = 4,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._seeds = tuple(seeds)
        self._scope = scope
        self._frontier = frontier
        self._robots = robots
        self._budget = budget or CrawlBudget()
        self._policy = fetcher.policy
        self._concurrency = concurrency
        self._is_cancelled = is_cancelled
        self._sitemaps = SitemapReader(fetcher, robots.refusal, sitemap_limits)
        self._visits = PageVisit(fetcher, robots, extractor, scope, claims or MemoryPageClaims())
        self._follows_links = any(seed.follows_links for seed in self._seeds)
        self._adding = anyio.Lock()

    async def run(self, on_result: OnResult) -> CrawlSummary:
        """Crawl until nothing is left, the budget is spent or the crawl is cancelled.

        `on_result` gets each result before it is settled, possibly again after a crash; an error that it
        raises ends the crawl and leaves that entry unsettled.

        To visit known pages again, put them into the frontier with their validators first: a page that is
        UNCHANGED has no body, so its links are not found again.
        """
        progress = _Progress(TrapFilter(self._budget))
        await self._add_seeds(progress)
        try:
            was_cancelled = await self._visit_all(progress, on_result)
        except BaseExceptionGroup as group:
            raise _first_error(group) from group
        return await self._summary(progress, was_cancelled)

    async def _visit_all(self, progress: _Progress, on_result: OnResult) -> bool:
        """Whether it stopped because the crawl was cancelled."""
        async with anyio.create_task_group() as tasks:
            while not self._is_cancelled():
                # Noted before `take`, which may suspend: a visit that ends meanwhile may have added links.
                is_idle, a_visit_ended = progress.under_way == 0, progress.a_visit_ended
                free = self._concurrency - progress.under_way
                entries = await self._frontier.take(free) if free else []
                for entry in entries:
                    progress.known.add(entry.url)
                    progress.under_way += 1
                    tasks.start_soon(self._process, entry, progress, on_result)
                if not entries and is_idle:
                    return False
                if not entries:
                    await a_visit_ended.wait()
        return True

    async def _process(self, entry: FrontierEntry, progress: _Progress, on_result: OnResult) -> None:
        visited = await self._visits.visit(entry)
        if self._follows_links and entry.depth < self._budget.max_depth:
            await self._add(visited.links, entry.depth + 1, progress)
        await on_result(visited.result)
        await self._frontier.settle(visited.result)
        progress.outcomes[visited.result.outcome] += 1
        progress.under_way -= 1
        progress.a_visit_ended.set()
        progress.a_visit_ended = anyio.Event()

    async def _add_seeds(self, progress: _Progress) -> None:
        """Done on every run: a crawl that died while it read sitemaps must not miss the rest of them."""
        checked: list[tuple[Seed, CheckedUrl]] = []
        for seed in self._seeds:
            try:
                checked.append((seed, check_url(seed.url, self._policy)))
            except UrlRefused as error:
                progress.problems.append((seed.url, error.reason))
                continue
            if seed.kind is not SeedKind.SITEMAP and not self._scope.allows(checked[-1][1]):
                progress.problems.append((seed.url, "the start lies outside the source"))
        await self._add((str(url) for seed, url in checked if seed.kind is not SeedKind.SITEMAP), 0, progress)
        for seed, url in checked:
            if self._is_cancelled():
                return
            reading = await sitemap_pages(seed, url, self._robots, self._sitemaps)
            progress.problems.extend(reading.problems)
            await self._add((entry.url for entry in reading.entries), 0, progress)

    async def _add(self, urls: Iterable[str], depth: int, progress: _Progress) -> None:
        """Queue what is in scope, no trap, and still within the page budget."""
        if progress.is_over_budget:
            return
        wanted = self._wanted(urls, depth, progress)
        async with self._adding:  # else two pages could spend the same room
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
            if self._scope.allows(url) and progress.traps.admits(url):
                entries.setdefault(normalised, FrontierEntry(normalised, depth))
        return list(entries.values())

    async def _summary(self, progress: _Progress, was_cancelled: bool) -> CrawlSummary:
        seen = await self._frontier.seen_count()
        stopped = StopReason.FINISHED
        if was_cancelled:
            stopped = StopReason.CANCELLED
        elif seen == 0:
            stopped = StopReason.NOTHING_TO_VISIT
        elif progress.is_over_budget:
            stopped = StopReason.PAGE_BUDGET
        return CrawlSummary(stopped, dict(progress.outcomes), seen, tuple(progress.problems))


def _first_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The task group wraps what a visit raised; callers want the error itself."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
