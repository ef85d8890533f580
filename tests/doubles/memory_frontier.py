"""A queue of a crawl in memory, for one process."""

from collections import deque
from collections.abc import Iterable

from crawler.crawl.frontier import FrontierEntry
from crawler.extract.page import PageResult


class MemoryFrontier:
    def __init__(self) -> None:
        self._seen: dict[str, FrontierEntry] = {}
        self._queue: deque[FrontierEntry] = deque()
        self.results: dict[str, PageResult] = {}

    async def add(self, entries: Iterable[FrontierEntry]) -> int:
        before = len(self._seen)
        for entry in entries:
            if entry.url not in self._seen:
                self._seen[entry.url] = entry
                self._queue.append(entry)
        return len(self._seen) - before

    async def take(self, limit: int) -> list[FrontierEntry]:
        return [self._queue.popleft() for _ in range(min(limit, len(self._queue)))]

    async def settle(self, result: PageResult) -> None:
        self.results[result.url] = result

    async def seen_count(self) -> int:
        return len(self._seen)
