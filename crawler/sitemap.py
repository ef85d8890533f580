"""One sitemap file becomes its entries (sitemaps.org): urlset, index, plain text, RSS 2, Atom; gzipped or not.

Parsed as a stream by expat, and a document type is refused outright, so there are no entities to expand, no
external files to fetch, and no tree in memory. What the parser itself would keep (open elements, names, a tag that
does not end) is bounded too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import parsedate_to_datetime
from enum import StrEnum
from xml.parsers import expat

from crawler.body_reader import inflate_gzip
from crawler.errors import BodyRefused, SitemapRefused

MAX_SITEMAP_BYTES = 50 * 1024 * 1024  # sitemaps.org
MAX_SITEMAP_URLS = 50_000  # sitemaps.org

_PIECE_BYTES = 64 * 1024
_MAX_TOKEN_BYTES = 512 * 1024  # one tag, comment or run of text that the parser has to hold
_MAX_DEPTH = 50
_MAX_NAMES = 1000  # of elements and attributes; sitemaps with every extension have a few dozen
_MAX_URL_CHARS = 8192

_LINE = re.compile(rb"[^\s][^\r\n]*[^\s]")
_BARE_AMPERSAND = re.compile(rb"&(?!#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};|(?:amp|lt|gt|quot|apos);)")


class SitemapKind(StrEnum):
    """What the entries of a file are."""

    PAGES = "pages"
    INDEX = "index"


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page, or in an index another sitemap. `url` as written; `last_modified` has a time zone."""

    url: str
    last_modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """One file, entries in file order, at most the asked-for number of them."""

    kind: SitemapKind
    entries: tuple[SitemapEntry, ...]


def parse_sitemap(body: bytes, max_urls: int = MAX_SITEMAP_URLS, max_bytes: int = MAX_SITEMAP_BYTES) -> Sitemap:
    """Read one file. A file that breaks off or goes wrong keeps what came before.

    Raises SitemapRefused: a document type, too many bytes unpacked, or nothing that looks like a sitemap.
    """
    if body.startswith(b"\x1f\x8b"):
        try:
            body = inflate_gzip(body, max_bytes)
        except BodyRefused as error:
            raise SitemapRefused(error.reason) from error
    if len(body) > max_bytes:
        raise SitemapRefused(f"the sitemap is larger than {max_bytes} bytes")
    body = body.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    if body.startswith((b"<", b"\xff\xfe", b"\xfe\xff", b"\x00<")):
        return _parse_xml(body, max_urls)
    return _parse_text(body, max_urls)


def parse_w3c_datetime(text: str) -> datetime | None:
    """lastmod: a date, or a date with time; without zone it is taken as UTC. None when unreadable."""
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
        if line[:8].lower().startswith((b"http://", b"https://")) and len(line) <= _MAX_URL_CHARS:
            entries.append(SitemapEntry(line.decode("utf-8", "replace")))
            if len(entries) >= max_urls:
                break
    if not entries:
        raise SitemapRefused("the file is no sitemap")
    return Sitemap(SitemapKind.PAGES, tuple(entries))


def _lines(body: bytes) -> Iterator[bytes]:
    """One at a time: a list of the lines of a file that is all line ends would be many times the file."""
    return (found[0] for found in _LINE.finditer(body))


def _parse_xml(body: bytes, max_urls: int) -> Sitemap:
    reader = _Reader(max_urls)
    if not reader.read(body) and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        # The commonest fault is a bare ampersand in a query.
        retry = _Reader(max_urls)
        retry.read(_BARE_AMPERSAND.sub(b"&amp;", body))
        if len(retry.entries) >= len(reader.entries):
            reader = retry
    if reader.kind is None:
        raise SitemapRefused("the file is no sitemap")
    return Sitemap(reader.kind, tuple(reader.entries))


class _Enough(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Format:
    """Where one kind of file keeps its entries: element names from the root down, and those inside an entry."""

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
    """Expat callbacks. Elements outside the root's namespace (image:loc, atom:link) count for nothing."""

    def __init__(self, max_urls: int) -> None:
        self.entries: list[SitemapEntry] = []
        self._format: _Format | None = None
        self._max_urls = max_urls
        self._namespace = ""
        self._path: list[str] = []
        self._names: set[str] = set()
        self._text: list[str] = []
        self._text_chars = 0
        self._url = ""
        self._last_modified = ""

    @property
    def kind(self) -> SitemapKind | None:
        return self._format.kind if self._format else None

    def read(self, body: bytes) -> bool:
        """Whether the whole file was well-formed, or as much of it as is wanted."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartNamespaceDeclHandler = self._namespace_declared
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.EntityDeclHandler = _refuse_doctype
        parser.ExternalEntityRefHandler = _refuse_doctype
        try:
            for start in range(0, len(body), _PIECE_BYTES):
                parser.Parse(body[start : start + _PIECE_BYTES], False)
                if start - parser.CurrentByteIndex > _MAX_TOKEN_BYTES:
                    raise SitemapRefused(
                        f"the sitemap has a part of more than {_MAX_TOKEN_BYTES} bytes that does not end"
                    )
            parser.Parse(b"", True)
        except _Enough:
            return True
        except (expat.ExpatError, LookupError, ValueError):
            return False
        return True

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        if not self._path:
            self._namespace = namespace
            self._format = _FORMATS.get(local.lower())
        if self._format is None:
            raise _Enough
        self._path.append(local.lower() if namespace == self._namespace else "")
        if len(self._path) > _MAX_DEPTH:
            raise SitemapRefused(f"the sitemap nests more than {_MAX_DEPTH} elements")
        self._count_names(name, *attributes)
        self._clear_text()
        if tuple(self._path) == self._format.entry:
            self._url = self._last_modified = ""
        if self._is_inside_entry(self._format.url) and attributes.get("rel", "alternate") == "alternate":
            self._url = attributes.get("href", self._url)  # Atom

    def _end(self, _name: str) -> None:
        assert self._format is not None  # noqa: S101 - _start stops at any other root
        text = "".join(self._text).strip()
        if self._is_inside_entry(self._format.url):
            self._url = text or self._url
        elif self._is_inside_entry(self._format.last_modified):
            self._last_modified = text
        elif tuple(self._path) == self._format.entry and 0 < len(self._url) <= _MAX_URL_CHARS:
            self.entries.append(SitemapEntry(self._url.strip(), _moment(self._last_modified)))
            if len(self.entries) >= self._max_urls:
                raise _Enough
        self._path.pop()
        self._clear_text()

    def _characters(self, text: str) -> None:
        """Text that is longer than any URL is kept no further: what it stands in is none."""
        if self._text_chars <= _MAX_URL_CHARS:
            self._text.append(text)
            self._text_chars += len(text)

    def _clear_text(self) -> None:
        self._text.clear()
        self._text_chars = 0

    def _namespace_declared(self, prefix: str | None, _: str | None) -> None:
        self._count_names(f"xmlns:{prefix}")

    def _count_names(self, *names: str) -> None:
        """The parser keeps every name that it has ever seen."""
        self._names.update(names)
        if len(self._names) > _MAX_NAMES:
            raise SitemapRefused(f"the sitemap uses more than {_MAX_NAMES} names")

    def _is_inside_entry(self, name: str) -> bool:
        return self._format is not None and tuple(self._path) == (*self._format.entry, name)


def _moment(text: str) -> datetime | None:
    if moment := parse_w3c_datetime(text):
        return moment
    try:
        moment = parsedate_to_datetime(text)  # RSS
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _refuse_doctype(*_: object) -> int:
    raise SitemapRefused("the sitemap declares a document type or entities")
