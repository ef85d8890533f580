"""When a page says it was published and changed: meta elements, JSON-LD, <time>, in this order of trust."""

import json
import re
from collections.abc import Iterator
from datetime import date
from email.utils import parsedate_to_datetime

from selectolax.lexbor import LexborHTMLParser, LexborNode

_PUBLISHED = (
    "article:published_time", "datepublished", "dc.date.issued", "dcterms.issued", "dcterms.created",
    "dc.date.created", "publish_date", "publication_date", "publishdate", "parsely-pub-date",
    "sailthru.date", "citation_publication_date", "date", "dc.date", "pubdate",
)  # fmt: skip
_MODIFIED = (
    "article:modified_time", "og:updated_time", "datemodified", "dcterms.modified", "dc.date.modified",
    "last-modified", "revised", "last_updated", "docs:last_updated", "docbuild:last-update",
)  # fmt: skip
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_COMPACT = re.compile(r"^((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")
_NAMED = re.compile(
    r"(?:(\d{1,2})(?:st|nd|rd|th)?\.?\s+)?([A-Z][a-z]{2,8})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?((?:19|20)\d\d)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CHANGED = ("modif", "updated", "reviewed", "revised", "last change", "edited")
_MAX_JSON_CHARS = 300_000


def page_dates(tree: LexborHTMLParser) -> tuple[date | None, date | None]:
    """(published, modified); None where the page does not say."""
    meta: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        for key in ("property", "name", "itemprop", "http-equiv"):
            if name := (attributes.get(key) or "").strip().lower():
                meta.setdefault(name, attributes.get("content") or "")
    linked = _linked_data(tree)
    published = _first(meta.get(name) for name in _PUBLISHED) or linked.get("datePublished")
    modified = _first(meta.get(name) for name in _MODIFIED) or linked.get("dateModified")
    for node in tree.css("time,[itemprop=datePublished],[itemprop=dateModified]"):
        attributes = node.attributes
        said = parse_date(attributes.get("datetime") or attributes.get("content") or node.text())
        names = f"{attributes.get('itemprop') or ''} {attributes.get('class') or ''} {_words_before(node)}".lower()
        if said is None:
            continue
        if any(word in names for word in _CHANGED):
            modified = modified or said
        elif "publi" in names or "pubdate" in attributes or _is_the_only_time(node.tag, tree):
            published = published or said
    return published, modified


def parse_date(text: str) -> date | None:
    """A day of 1990-2100 from ISO 8601, RFC 2822 or English text; None for anything else."""
    text = text.strip()[:60]
    if found := _ISO.search(text) or _COMPACT.match(text):
        return _day(int(found[1]), int(found[2]), int(found[3]))
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        pass
    else:
        return _day(moment.year, moment.month, moment.day)
    named = _NAMED.search(text)
    if named and (named[1] or named[3]) and named[2][:3].lower() in _MONTHS:
        return _day(int(named[4]), _MONTHS.index(named[2][:3].lower()) + 1, int(named[1] or named[3]))
    return None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if 1990 <= year <= 2100 else None
    except ValueError:
        return None


def _first(values: Iterator[str | None]) -> date | None:
    return next((day for value in values if value and (day := parse_date(value)) is not None), None)


def _linked_data(tree: LexborHTMLParser) -> dict[str, date]:
    found: dict[str, date] = {}
    for script in tree.css('script[type="application/ld+json" i]'):
        text = script.text()
        if len(text) > _MAX_JSON_CHARS:
            continue
        try:
            data: object = json.loads(text)
        except (ValueError, RecursionError):
            continue
        _gather(data, found)
    return found


def _gather(data: object, found: dict[str, date]) -> None:
    """Dates of the outermost things only: a comment further in has its own."""
    waiting: list[object] = [data]
    for _ in range(200):
        if not waiting:
            return
        thing = waiting.pop(0)
        if isinstance(thing, list):
            waiting.extend(thing)
        elif isinstance(thing, dict):
            for name in ("datePublished", "dateModified"):
                value = thing.get(name)
                day = parse_date(value) if isinstance(value, str) else None
                if day is not None:
                    found.setdefault(name, day)
            waiting.extend(value for key, value in thing.items() if key in {"@graph", "mainEntity", "mainEntityOfPage"})


def _words_before(node: LexborNode) -> str:
    """ "Last updated" of "Last updated <time>": only what stands in the same small box."""
    text = node.parent.text() if node.parent is not None and node.tag == "time" else ""
    return text if len(text) < 80 else ""


def _is_the_only_time(tag: str | None, tree: LexborHTMLParser) -> bool:
    """A lone <time> on a page is the page's own; of several, only marked ones are."""
    return tag == "time" and len(tree.css("time")) == 1
