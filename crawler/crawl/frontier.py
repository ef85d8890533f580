"""Port: the queue of a crawl."""

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
