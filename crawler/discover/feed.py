"""Parses a feed into the pages of its entries: RSS 2.0 (and 0.9x), RSS 1.0, Atom; gzipped or not.

RSS 1.0: web.resource.org/rss/1.0/spec; Atom: RFC 4287.
"""

import re
from typing import Final
from urllib.parse import urljoin

from crawler.discover.bounded_xml import Enough, XmlBounds, read_xml, with_ampersands_escaped
from crawler.discover.sitemap import (
    MAX_SITEMAP_BYTES,
    MAX_SITEMAP_URLS,
    Sitemap,
    SitemapEntry,
    SitemapKind,
    parse_moment,
    unpacked,
)
from crawler.errors import SitemapRefused

_BOUNDS: Final = XmlBounds("feed", max_depth=100, max_names=2000)  # Atom may contain whole pages as XHTML
_MAX_FIELD_CHARS: Final = 8192

_ATOM: Final = frozenset({"http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"})
_RSS: Final = frozenset(
    {"", "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/", "http://backend.userland.com/rss2"}
)
_DUBLIN_CORE: Final = "http://purl.org/dc/elements/1.1/"
_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_BASE: Final = "http://www.w3.org/XML/1998/namespace base"
# If an entry has several dates, the one with the highest number is used: the last change rather than the creation.
_DATES: Final = {"date": 0, "published": 1, "created": 1, "issued": 1, "pubdate": 2, "modified": 3, "updated": 3}

_HTML_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]{2,31}[0-9]{0,2};")


def parse_feed(body: bytes, max_urls: int = MAX_SITEMAP_URLS, max_bytes: int = MAX_SITEMAP_BYTES) -> Sitemap:
    """The pages of the entries in the feed's order, each with the date of its last change. If the feed is incomplete or
    malformed, the entries before the error are returned.

    Raises SitemapRefused: a document type, too many bytes unpacked, or no feed at all.
    """
    body = unpacked(body, max_bytes, "feed")
    reader = _FeedReader(max_urls)
    if not read_xml(body, reader, _BOUNDS) and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        # The other common error: entities that only HTML defines.
        retry = _FeedReader(max_urls)
        read_xml(with_ampersands_escaped(_HTML_ENTITY.sub(b" ", body)), retry, _BOUNDS)
        if len(retry.entries) >= len(reader.entries):
            reader = retry
    if not reader.is_feed:
        raise SitemapRefused("the file is not a feed")
    return Sitemap(SitemapKind.PAGES, tuple(reader.entries))


class _FeedReader:
    """XmlEvents. Elements of other namespaces (media:content, atom:link in RSS) are ignored."""

    def __init__(self, max_urls: int) -> None:
        self.is_feed = False
        self.entries: list[SitemapEntry] = []
        self._max_urls = max_urls
        self._is_atom = False
        self._path: list[str] = []  # local names, "" for foreign elements
        self._bases: list[str] = []  # xml:base by depth
        self._text: list[str] = []
        self._text_chars = 0
        self._entry_depth = 0  # 0 outside of entries
        self._start_entry()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        local = local.lower()
        if not self._path:
            self._is_atom = local == "feed" and (namespace in _ATOM or not namespace)
            self.is_feed = self._is_atom or (local == "rss") or (local == "rdf" and namespace == _RDF)
            if not self.is_feed:
                raise Enough
        is_ours = not self._path or namespace in (_ATOM if self._is_atom else _RSS) or not namespace
        self._path.append(local if is_ours or (namespace == _DUBLIN_CORE and local == "date") else "")
        base = self._bases[-1] if self._bases else ""
        self._bases.append(_joined(base, attributes[_BASE]) if _BASE in attributes else base)
        self._text.clear()
        self._text_chars = 0
        if not self._entry_depth and self._path[-1] == ("entry" if self._is_atom else "item"):
            self._entry_depth = len(self._path)
            self._start_entry()
            self._about = attributes.get(f"{_RDF} about", "")
        elif self._is_field():
            self._note_attributes(attributes)

    def end(self) -> None:
        if self._is_field():
            self._note_text("".join(self._text).strip())
        elif len(self._path) == self._entry_depth:
            self._end_entry()
        self._path.pop()
        self._bases.pop()

    def characters(self, text: str) -> None:
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
            self.entries.append(SitemapEntry(url, parse_moment(self._date)))
        if len(self.entries) >= self._max_urls:
            raise Enough

    def _absolute(self, link: str) -> str:
        """The link resolved against xml:base. The caller resolves it against the feed's own address."""
        link = link.strip()
        return _joined(self._bases[-1], link) if link and self._bases[-1] else link


def _joined(base: str, link: str) -> str:
    try:
        return urljoin(base, link)
    except ValueError:
        return link  # no URL: the caller drops it
