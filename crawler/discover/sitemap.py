"""Reads the page URLs in sitemaps, following indexes within limits. A file may be a urlset, index, plain text, RSS 2 or
Atom, gzipped or not (sitemaps.org), or an llms.txt (llmstxt.org)."""

import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from anyio import to_thread

from crawler.discover.bounded_xml import Enough, XmlBounds, read_xml, with_ampersands_escaped
from crawler.errors import BodyRefused, SitemapRefused, UrlRefused
from crawler.fetch.body_reader import inflate_gzip
from crawler.fetch.fetch_result import NotFetched, Refusal, WantedBody
from crawler.url_rules import resolve_url

if TYPE_CHECKING:
    from crawler.fetch.fetcher import Fetcher


MAX_SITEMAP_BYTES = 50 * 1024 * 1024  # sitemaps.org
MAX_SITEMAP_URLS = 50_000  # sitemaps.org

_BOUNDS = XmlBounds("sitemap", max_depth=50, max_names=1000)  # sitemaps with every extension use a few dozen
_MAX_URL_CHARS = 8192

_LISTED_LINK = re.compile(rb"[-*+][ \t]+\[(?:\\.|[^\]\\])*+\]\([ \t]*+<?([^\s<>()]++(?:\([^\s<>()]*+\)[^\s<>()]*+)*+)")
_LINE = re.compile(rb"[^\s][^\r\n]*[^\s]")


class SitemapKind(StrEnum):
    """Whether the entries of a file are pages or other sitemaps."""

    PAGES = "pages"
    INDEX = "index"


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page or, in an index, another sitemap. `url` is as written; `last_modified` has a time zone."""

    url: str
    last_modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The entries of one file in their order, at most as many as requested."""

    kind: SitemapKind
    entries: tuple[SitemapEntry, ...]


def parse_sitemap(body: bytes, max_urls: int = MAX_SITEMAP_URLS, max_bytes: int = MAX_SITEMAP_BYTES) -> Sitemap:
    """Parse one file. If it is incomplete or malformed, the entries before the error are returned.

    Raises SitemapRefused: a document type, too many bytes unpacked, or no sitemap at all.
    """
    body = unpacked(body, max_bytes, "sitemap")
    if body.startswith((b"<", b"\xff\xfe", b"\xfe\xff", b"\x00<")):
        return _parse_xml(body, max_urls)
    return _parse_text(body, max_urls)


def unpacked(body: bytes, max_bytes: int, file: str) -> bytes:
    """The content of a gzipped or plain file, without leading blanks. `file` names its kind in the error. Raises
    SitemapRefused."""
    if body.startswith(b"\x1f\x8b"):
        try:
            body = inflate_gzip(body, max_bytes)
        except BodyRefused as error:
            raise SitemapRefused(error.reason) from error
    if len(body) > max_bytes:
        raise SitemapRefused(f"the {file} is larger than {max_bytes} bytes")
    return body.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")


def parse_w3c_datetime(text: str) -> datetime | None:
    """Parse a `lastmod`: a date, or a date with time, in UTC if it has no zone. None for anything else."""
    text = text.strip()
    try:
        if len(text) <= 10:
            padded = text + "-01-01"[len(text) - 4 :] if len(text) in (4, 7) else text
            return datetime.combine(date.fromisoformat(padded), time(), UTC)
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parse_text(body: bytes, max_urls: int) -> Sitemap:
    entries: list[SitemapEntry] = []
    for line in _lines(body):
        listed = _LISTED_LINK.match(line)
        url = listed[1] if listed else line
        if (listed or url[:8].lower().startswith((b"http://", b"https://"))) and len(url) <= _MAX_URL_CHARS:
            entries.append(SitemapEntry(url.decode("utf-8", "replace")))
            if len(entries) >= max_urls:
                break
    if not entries:
        raise SitemapRefused("the file is not a sitemap")
    return Sitemap(SitemapKind.PAGES, tuple(entries))


def _lines(body: bytes) -> Iterator[bytes]:
    """Yield the lines. A list of them could be many times as large as the file."""
    return (found[0] for found in _LINE.finditer(body))


def _parse_xml(body: bytes, max_urls: int) -> Sitemap:
    reader = _Reader(max_urls)
    if not read_xml(body, reader, _BOUNDS) and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        retry = _Reader(max_urls)
        read_xml(with_ampersands_escaped(body), retry, _BOUNDS)
        if len(retry.entries) >= len(reader.entries):
            reader = retry
    if reader.kind is None:
        raise SitemapRefused("the file is not a sitemap")
    return Sitemap(reader.kind, tuple(reader.entries))


@dataclass(frozen=True, slots=True)
class _Format:
    """A file format: the element names from the root to an entry, and those inside an entry."""

    kind: SitemapKind
    entry: tuple[str, ...]
    url: str
    last_modified: str


_FORMATS = {
    "urlset": _Format(SitemapKind.PAGES, ("urlset", "url"), "loc", "lastmod"),
    "sitemapindex": _Format(SitemapKind.INDEX, ("sitemapindex", "sitemap"), "loc", "lastmod"),
    "rss": _Format(SitemapKind.PAGES, ("rss", "channel", "item"), "link", "pubdate"),
    "feed": _Format(SitemapKind.PAGES, ("feed", "entry"), "link", "updated"),
}


class _Reader:
    """XmlEvents. Elements outside of the root's namespace (image:loc, atom:link) are ignored."""

    def __init__(self, max_urls: int) -> None:
        self.entries: list[SitemapEntry] = []
        self._format: _Format | None = None
        self._max_urls = max_urls
        self._namespace = ""
        self._path: list[str] = []
        self._text: list[str] = []
        self._text_chars = 0
        self._url = ""
        self._last_modified = ""

    @property
    def kind(self) -> SitemapKind | None:
        return self._format.kind if self._format else None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        if not self._path:
            self._namespace = namespace
            self._format = _FORMATS.get(local.lower())
        if self._format is None:
            raise Enough
        self._path.append(local.lower() if namespace == self._namespace else "")
        self._clear_text()
        if tuple(self._path) == self._format.entry:
            self._url = self._last_modified = ""
        if self._is_inside_entry(self._format.url) and attributes.get("rel", "alternate") == "alternate":
            self._url = attributes.get("href", self._url)  # Atom

    def end(self) -> None:
        assert self._format is not None  # noqa: S101 - start ends the reading at any other root
        text = "".join(self._text).strip()
        if self._is_inside_entry(self._format.url):
            self._url = text or self._url
        elif self._is_inside_entry(self._format.last_modified):
            self._last_modified = text
        elif tuple(self._path) == self._format.entry and 0 < len(self._url) <= _MAX_URL_CHARS:
            self.entries.append(SitemapEntry(self._url.strip(), parse_moment(self._last_modified)))
            if len(self.entries) >= self._max_urls:
                raise Enough
        self._path.pop()
        self._clear_text()

    def characters(self, text: str) -> None:
        """Collect the text of a field, which is dropped if it is longer than any URL."""
        if self._text_chars <= _MAX_URL_CHARS:
            self._text.append(text)
            self._text_chars += len(text)

    def _clear_text(self) -> None:
        self._text.clear()
        self._text_chars = 0

    def _is_inside_entry(self, name: str) -> bool:
        return self._format is not None and tuple(self._path) == (*self._format.entry, name)


def parse_moment(text: str) -> datetime | None:
    """Parse a date of a sitemap or feed: W3C or RFC 5322, in UTC if it has no zone. None for anything else."""
    if moment := parse_w3c_datetime(text):
        return moment
    try:
        moment = parsedate_to_datetime(text)  # RSS
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


_QUEUED_PER_FILE = 10  # maximum length of the queue for each file that may be read


# (bytes of a file, most URLs, most bytes unpacked) -> its entries; raises SitemapRefused.
Parse = Callable[[bytes, int, int], Sitemap]


@dataclass(frozen=True, slots=True)
class SitemapLimits:
    """Limits for reading a site's sitemaps."""

    max_files: int = 100
    max_index_depth: int = 3  # an index of indexes of indexes
    max_urls: int = 50_000  # over all files
    max_bytes: int = 20 * 1024 * 1024  # a file, unpacked
    max_failures_in_row: int = 5  # after so many unreadable files, the rest is skipped


@dataclass(slots=True)
class SitemapReading:
    """The pages in file order, each URL once, and (URL, reason) of each file that could not be read."""

    entries: list[SitemapEntry] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SitemapReader:
    """Reads sitemaps through a fetcher. `_refusal` checks robots.txt and is called before each file."""

    _fetcher: "Fetcher"
    _refusal: Callable[[str], Awaitable[Refusal | None]] | None = None
    _limits: SitemapLimits = SitemapLimits()

    async def read(self, urls: Iterable[str], parse: Parse = parse_sitemap) -> SitemapReading:
        """All pages of these files and of the files that they list. The caller decides which are in scope."""
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
            # Parsing megabytes of XML and checking tens of thousands of URLs would block the event loop.
            return await to_thread.run_sync(self._parsed, url, body, parse)
        except SitemapRefused as error:
            reading.problems.append((url, error.reason))
            return SitemapKind.PAGES, []

    def _parsed(self, url: str, body: bytes, parse: Parse) -> tuple[SitemapKind, list[SitemapEntry]]:
        sitemap = parse(body, self._limits.max_urls, self._limits.max_bytes)
        absolute = (self._absolute(url, entry) for entry in sitemap.entries)
        return sitemap.kind, [entry for entry in absolute if entry is not None]

    async def _body(self, url: str) -> bytes | str:
        """The content of the file or, as a string, the reason why it could not be read."""
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
