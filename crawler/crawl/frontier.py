"""Port: the queue of a crawl. In memory here, in SQL where it must survive a crash."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from crawler.extract.page import PageResult, Validators


@dataclass(frozen=True, slots=True)
class FrontierEntry:
    """A URL that waits to be visited. `depth` counts links from the start URL, from 0; sitemap URLs have depth 0."""

    url: str
    depth: int
    validators: Validators = field(default_factory=Validators)


class Frontier(Protocol):
    """The queue of one crawl. Each URL is handed out once and settled once; a URL that was taken but never settled,
    because the process died, is handed out again by the frontier's next owner."""

    async def add(self, entries: Iterable[FrontierEntry]) -> int:
        """Queue the entries whose URL this crawl has never seen; return how many were new."""
        ...

    async def take(self, limit: int) -> list[FrontierEntry]:
        """Hand out up to `limit` queued entries, oldest first; [] if none is queued now."""
        ...

    async def settle(self, result: PageResult) -> None:
        """Record how an entry ended."""
        ...

    async def seen_count(self) -> int:
        """Entries ever added to this crawl, which count against the page budget."""
        ...


class MemoryFrontier:
    """A frontier for one process: scripts, the command line, tests."""

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
