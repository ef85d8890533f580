"""A crawl that is killed anywhere is finished by the next."""

from collections.abc import Iterable

import pytest

from crawler.crawl.crawl_summary import StopReason
from crawler.crawl.frontier import FrontierEntry
from crawler.extract.page import PageResult
from crawler.fetch.fetcher import Fetcher
from tests.crawler.crawl.small_site import WHOLE_SITE, ResumedFrontier, Run, small_site
from tests.doubles.loopback_site import LoopbackSite
from tests.doubles.memory_frontier import MemoryFrontier


@pytest.mark.parametrize("survived", range(10))
async def test_a_crawl_killed_at_any_result_is_finished_by_the_next(
    survived: int, site: LoopbackSite, fetcher: Fetcher
) -> None:
    class KilledError(Exception):
        pass

    small_site(site)
    first = Run(site, fetcher)

    async def dies(result: PageResult) -> None:
        if len(first.results) == survived:
            raise KilledError
        first.results.append(result)

    with pytest.raises(KilledError):
        await first(on_result=dies, concurrency=2)
    assert len(first.frontier.results) <= survived

    second = Run(site, fetcher, ResumedFrontier(first.frontier))
    summary = await second(concurrency=2)
    assert summary.stopped is StopReason.FINISHED
    assert set(second.frontier.results) == {f"{site.origin}{path}" for path in WHOLE_SITE}
    pages = {result.page.canonical_url for result in first.results + second.results if result.page}
    assert pages == {f"{site.origin}{path}" for path in ("/", "/hidden", "/a", "/a/1", "/b")}


class FailingFrontier(MemoryFrontier):
    """A frontier whose process dies at its n-th call."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self._calls_left = calls

    def _count(self) -> None:
        self._calls_left -= 1
        if self._calls_left < 0:
            raise ConnectionError("the process died")

    async def add(self, entries: Iterable[FrontierEntry]) -> int:
        self._count()
        return await super().add(entries)

    async def take(self, limit: int) -> list[FrontierEntry]:
        entries = await super().take(limit)
        self._count()  # taken, and never seen
        return entries

    async def settle(self, result: PageResult) -> None:
        self._count()
        await super().settle(result)


@pytest.mark.parametrize("calls", range(0, 20, 2))
async def test_a_crawl_killed_at_any_call_of_its_frontier_is_finished_by_the_next(
    calls: int, site: LoopbackSite, fetcher: Fetcher
) -> None:
    small_site(site)
    first = Run(site, fetcher, FailingFrontier(calls))
    with pytest.raises(ConnectionError):
        await first(concurrency=2)
    second = Run(site, fetcher, ResumedFrontier(first.frontier))
    await second(concurrency=2)
    assert set(second.frontier.results) == {f"{site.origin}{path}" for path in WHOLE_SITE}
    pages = {result.page.canonical_url for result in first.results + second.results if result.page}
    assert pages == {f"{site.origin}{path}" for path in ("/", "/hidden", "/a", "/a/1", "/b")}
