"""One feed becomes the pages of its entries: RSS 2.0 (and 0.9x), RSS 1.0, Atom; gzipped or not.

Parsed as a stream by expat, and a document type is refused outright, so there are no entities to expand, no external
files to fetch, and no tree in memory. What the parser itself would keep (open elements, names, a tag that does not
end) is bounded too. RSS 1.0: web.resource.org/rss/1.0/spec; Atom: RFC 4287.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urljoin
from xml.parsers import expat

from crawler.body_reader import inflate_gzip
from crawler.errors import BodyRefused, SitemapRefused
from crawler.sitemap import MAX_SITEMAP_BYTES, MAX_SITEMAP_URLS, Sitemap, SitemapEntry, SitemapKind, parse_w3c_datetime

_PIECE_BYTES: Final = 64 * 1024
_MAX_TOKEN_BYTES: Final = 512 * 1024  # one tag that the parser has to hold
_MAX_DEPTH: Final = 100  # Atom may hold whole pages as XHTML
_MAX_NAMES: Final = 2000  # of elements and attributes
_MAX_FIELD_CHARS: Final = 8192

_ATOM: Final = frozenset({"http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"})
_RSS: Final = frozenset(
    {"", "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/", "http://backend.userland.com/rss2"}
)
_DUBLIN_CORE: Final = "http://purl.org/dc/elements/1.1/"
_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_BASE: Final = "http://www.w3.org/XML/1998/namespace base"
# Later names go before earlier ones: when a page changed says more than when it was written.
_DATES: Final = {"date": 0, "published": 1, "created": 1, "issued": 1, "pubdate": 2, "modified": 3, "updated": 3}

_BARE_AMPERSAND = re.compile(rb"&(?!#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};|(?:amp|lt|gt|quot|apos);)")
_HTML_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]{2,31}[0-9]{0,2};")


def parse_feed(body: bytes, max_urls: int = MAX_SITEMAP_URLS, max_bytes: int = MAX_SITEMAP_BYTES) -> Sitemap:
    """The pages of the entries in the feed's order, each with the date when it was last changed. A feed that breaks
    off or goes wrong keeps what came before.

    Raises SitemapRefused: a document type, too many bytes unpacked, or nothing that looks like a feed.
    """
    if body.startswith(b"\x1f\x8b"):
        try:
            body = inflate_gzip(body, max_bytes)
        except BodyRefused as error:
            raise SitemapRefused(error.reason) from error
    if len(body) > max_bytes:
        raise SitemapRefused(f"the feed is larger than {max_bytes} bytes")
    body = body.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    reader = _FeedReader(max_urls)
    if not reader.read(body) and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        # The commonest faults: a bare ampersand in a query, and names of characters that only HTML has.
        retry = _FeedReader(max_urls)
        retry.read(_BARE_AMPERSAND.sub(b"&amp;", _HTML_ENTITY.sub(b" ", body)))
        if len(retry.entries) >= len(reader.entries):
            reader = retry
    if not reader.is_feed:
        raise SitemapRefused("the file is no feed")
    return Sitemap(SitemapKind.PAGES, tuple(reader.entries))


class _Enough(Exception):
    pass


class _FeedReader:
    """Expat callbacks. Elements of other namespaces (media:content, atom:link in RSS) count for nothing."""

    def __init__(self, max_urls: int) -> None:
        self.is_feed = False
        self.entries: list[SitemapEntry] = []
        self._max_urls = max_urls
        self._is_atom = False
        self._path: list[str] = []  # local names, "" for what is foreign
        self._bases: list[str] = []  # xml:base by depth
        self._names: set[str] = set()
        self._text: list[str] = []
        self._text_chars = 0
        self._entry_depth = 0  # 0 outside of entries
        self._start_entry()

    def read(self, body: bytes) -> bool:
        """Whether the whole file was well-formed, or as much of it as is wanted."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.EntityDeclHandler = _refuse_doctype
        parser.ExternalEntityRefHandler = _refuse_doctype
        try:
            for start in range(0, len(body), _PIECE_BYTES):
                parser.Parse(body[start : start + _PIECE_BYTES], False)
                if start - parser.CurrentByteIndex > _MAX_TOKEN_BYTES:
                    raise SitemapRefused(f"the feed has a part of more than {_MAX_TOKEN_BYTES} bytes that does not end")
            parser.Parse(b"", True)
        except _Enough:
            return True
        except (expat.ExpatError, LookupError, ValueError):
            return False
        return True

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        local = local.lower()
        if not self._path:
            self._is_atom = local == "feed" and (namespace in _ATOM or not namespace)
            self.is_feed = self._is_atom or (local == "rss") or (local == "rdf" and namespace == _RDF)
            if not self.is_feed:
                raise _Enough
        if len(self._path) >= _MAX_DEPTH:
            raise SitemapRefused(f"the feed nests more than {_MAX_DEPTH} elements")
        self._count_names(name, *attributes)
        is_ours = not self._path or namespace in (_ATOM if self._is_atom else _RSS) or not namespace
        self._path.append(local if is_ours or (namespace == _DUBLIN_CORE and local == "date") else "")
        base = self._bases[-1] if self._bases else ""
        self._bases.append(urljoin(base, attributes[_BASE]) if _BASE in attributes else base)
        self._text.clear()
        self._text_chars = 0
        if not self._entry_depth and self._path[-1] == ("entry" if self._is_atom else "item"):
            self._entry_depth = len(self._path)
            self._start_entry()
            self._about = attributes.get(f"{_RDF} about", "")
        elif self._is_field():
            self._note_attributes(attributes)

    def _end(self, _name: str) -> None:
        if self._is_field():
            self._note_text("".join(self._text).strip())
        elif len(self._path) == self._entry_depth:
            self._end_entry()
        self._path.pop()
        self._bases.pop()

    def _characters(self, text: str) -> None:
        if self._is_field() and self._text_chars <= _MAX_FIELD_CHARS:
            self._text.append(text)
            self._text_chars += len(text)

    def _is_field(self) -> bool:
        return self._entry_depth > 0 and len(self._path) == self._entry_depth + 1

    def _start_entry(self) -> None:
        self._link = self._permalink = self._about = ""
        self._is_permalink = False
        self._date, self._date_rank = "", -1

    def _note_attributes(self, attributes: dict[str, str]) -> None:
        match self._path[-1]:
            case "link" if self._is_atom and attributes.get("rel", "alternate") == "alternate" and not self._link:
                self._link = self._absolute(attributes.get("href", ""))
            case "guid":
                self._is_permalink = attributes.get("isPermaLink", "true").lower() != "false"

    def _note_text(self, text: str) -> None:
        name = self._path[-1]
        if not text or len(text) > _MAX_FIELD_CHARS:
            return
        if name == "link" and not self._is_atom:
            self._link = self._link or self._absolute(text)
        elif name == "guid" and self._is_permalink and text.startswith(("http://", "https://")):
            self._permalink = text
        elif (rank := _DATES.get(name, -1)) > self._date_rank:
            self._date, self._date_rank = text, rank

    def _end_entry(self) -> None:
        self._entry_depth = 0
        url = self._link or self._permalink or self._about
        if 0 < len(url) <= _MAX_FIELD_CHARS:
            self.entries.append(SitemapEntry(url, _moment(self._date)))
        if len(self.entries) >= self._max_urls:
            raise _Enough

    def _absolute(self, link: str) -> str:
        """As far as xml:base goes; against the feed's own address it is for the caller to resolve."""
        link = link.strip()
        return urljoin(self._bases[-1], link) if link and self._bases[-1] else link

    def _count_names(self, *names: str) -> None:
        """The parser keeps every name that it has ever seen."""
        self._names.update(names)
        if len(self._names) > _MAX_NAMES:
            raise SitemapRefused(f"the feed uses more than {_MAX_NAMES} names")


def _moment(text: str) -> datetime | None:
    if moment := parse_w3c_datetime(text):
        return moment
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _refuse_doctype(*_: object) -> int:
    raise SitemapRefused("the feed declares a document type or entities")
