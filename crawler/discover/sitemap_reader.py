"""Reads sitemap files into page URLs, following indexes to a bounded depth, width and total."""

from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anyio import to_thread

from crawler.discover.sitemap import Sitemap, SitemapEntry, SitemapKind, parse_sitemap
from crawler.errors import SitemapRefused, UrlRefused
from crawler.fetch.fetch_result import NotFetched, Refusal, WantedBody
from crawler.url_rules import resolve_url

if TYPE_CHECKING:  # brings HTTP, without which the kinds of sources can be named
    from crawler.fetch.fetcher import Fetcher

_QUEUED_PER_FILE = 10  # files kept in the queue for each that may be read


# (bytes of a file, most URLs, most bytes unpacked) -> its entries; raises SitemapRefused.
Parse = Callable[[bytes, int, int], Sitemap]


@dataclass(frozen=True, slots=True)
class SitemapLimits:
    """How much of a site's sitemaps is read."""

    max_files: int = 100
    max_index_depth: int = 3  # an index of indexes of indexes
    max_urls: int = 50_000  # over all files
    max_bytes: int = 20 * 1024 * 1024  # a file, unpacked
    max_failures_in_row: int = 5  # unreadable files; the rest is then skipped


@dataclass(slots=True)
class SitemapReading:
    """Pages in file order, each URL once; and the URL and reason of every file that could not be read."""

    entries: list[SitemapEntry] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)


class SitemapReader:
    """Reads sitemaps through a fetcher. `refusal` is the robots check, called before each file."""

    def __init__(
        self,
        fetcher: "Fetcher",
        refusal: Callable[[str], Awaitable[Refusal | None]] | None = None,
        limits: SitemapLimits | None = None,
    ) -> None:
        self._fetcher = fetcher
        self._refusal = refusal
        self._limits = limits or SitemapLimits()

    async def read(self, urls: Iterable[str], parse: Parse = parse_sitemap) -> SitemapReading:
        """All pages of these files and of the files that they name. The caller decides which are in scope."""
        reading = SitemapReading()
        queue = deque((url, 0) for url in dict.fromkeys(urls))
        queued = {url for url, _ in queue}
        seen_pages: set[str] = set()
        files = failures = 0
        while queue and files < self._limits.max_files and len(seen_pages) < self._limits.max_urls:
            if failures >= self._limits.max_failures_in_row:
                break
            url, depth = queue.popleft()
            files += 1
            problems = len(reading.problems)
            kind, entries = await self._read_file(url, reading, parse)
            failures = failures + 1 if len(reading.problems) > problems else 0
            for entry in entries:
                if kind is SitemapKind.INDEX:
                    has_room = len(queued) < _QUEUED_PER_FILE * self._limits.max_files
                    if depth < self._limits.max_index_depth and has_room and entry.url not in queued:
                        queued.add(entry.url)
                        queue.append((entry.url, depth + 1))
                elif entry.url not in seen_pages and len(seen_pages) < self._limits.max_urls:
                    seen_pages.add(entry.url)
                    reading.entries.append(entry)
        if queue:
            reading.problems.append((queue[0][0], f"{len(queue)} more sitemap files were not read"))
        return reading

    async def _read_file(
        self, url: str, reading: SitemapReading, parse: Parse
    ) -> tuple[SitemapKind, list[SitemapEntry]]:
        body = await self._body(url)
        if isinstance(body, str):
            reading.problems.append((url, body))
            return SitemapKind.PAGES, []
        try:
            # Megabytes of XML and tens of thousands of addresses would block the event loop.
            return await to_thread.run_sync(self._parsed, url, body, parse)
        except SitemapRefused as error:
            reading.problems.append((url, error.reason))
            return SitemapKind.PAGES, []

    def _parsed(self, url: str, body: bytes, parse: Parse) -> tuple[SitemapKind, list[SitemapEntry]]:
        sitemap = parse(body, self._limits.max_urls, self._limits.max_bytes)
        absolute = (self._absolute(url, entry) for entry in sitemap.entries)
        return sitemap.kind, [entry for entry in absolute if entry is not None]

    async def _body(self, url: str) -> bytes | str:
        """The file, or why it could not be read."""
        if self._refusal is not None and (refused := await self._refusal(url)):
            return refused.reason
        wanted = WantedBody(max_bytes=self._limits.max_bytes)
        answer = await self._fetcher.fetch(url, wanted=wanted, admit=self._refusal)
        return answer.reason if isinstance(answer, NotFetched) else answer.body

    def _absolute(self, base: str, entry: SitemapEntry) -> SitemapEntry | None:
        try:
            return SitemapEntry(str(resolve_url(base, entry.url, self._fetcher.policy)), entry.last_modified)
        except UrlRefused:
            return None
