"""Port: the queue of a crawl, which stores it."""

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
    """The queue of one crawl. Each URL is taken once and settled once. A URL that was taken but not settled, because
    the process died, can be taken again by the next process."""

    async def add(self, entries: Iterable[FrontierEntry]) -> int:
        """Queue the entries whose URL this crawl has never seen; return how many were new."""
        ...

    async def take(self, limit: int) -> list[FrontierEntry]:
        """Take up to `limit` queued entries, oldest first; [] if none is queued now."""
        ...

    async def settle(self, result: PageResult) -> None:
        """Store the result of an entry that was taken."""
        ...

    async def seen_count(self) -> int:
        """The number of entries ever added to this crawl, which count against the page budget."""
        ...
