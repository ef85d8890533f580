"""When a page was published and changed, by its own account: meta elements, JSON-LD, <time>, a line of text, in this
order of trust."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.html_tree import ancestors
from crawler.extract.metadata.linked_data import Thing

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
# "This page last modified on 2017-02-02 23:55:23 UTC", "Last updated on October 07, 2026. Found a bug?"
_SAID_IN_TEXT = re.compile(
    r"^[^\w\n]{0,5}(?:this (?:page|document|article) (?:was )?)?"
    r"last (?:modified|updated|changed|edited|revised|reviewed)"
    r"(?: on| at)?:?[ \t]*\n?[ \t]*(\S.{5,59})$",
    re.IGNORECASE | re.MULTILINE,
)


def page_dates(tree: LexborHTMLParser, things: Sequence[Thing]) -> tuple[date | None, date | None]:
    """(published, modified); None if the page does not state it. `things` are its JSON-LD."""
    meta: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        for key in ("property", "name", "itemprop", "http-equiv"):
            if name := (attributes.get(key) or "").strip().lower():
                meta.setdefault(name, attributes.get("content") or "")
    linked = _linked_dates(things)
    published = _first(meta.get(name) for name in _PUBLISHED) or linked.get("datePublished")
    modified = _first(meta.get(name) for name in _MODIFIED) or linked.get("dateModified")
    for node in tree.css("time,[itemprop=datePublished],[itemprop=dateModified]"):
        attributes = node.attributes
        said = parse_date(attributes.get("datetime") or attributes.get("content") or node.text())
        names = f"{attributes.get('itemprop') or ''} {attributes.get('class') or ''} {_words_before(node)}".lower()
        if said is None or _is_of_event(node):
            continue
        if any(word in names for word in _CHANGED):
            modified = modified or said
        elif "publi" in names or "pubdate" in attributes or _is_the_only_time(node.tag, tree):
            published = published or said
    return published, modified or _said_in_text(tree)


def parse_date(text: str) -> date | None:
    """A day since 1990 from ISO 8601, RFC 2822 or English text; None for anything else, and for a day to come, which is
    of an event or a mistake."""
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
        found = date(year, month, day)
    except ValueError:
        return None
    return found if year >= 1990 and found <= datetime.now(UTC).date() + timedelta(days=1) else None


def _first(values: Iterator[str | None]) -> date | None:
    return next((day for value in values if value and (day := parse_date(value)) is not None), None)


def _linked_dates(things: Sequence[Thing]) -> dict[str, date]:
    found: dict[str, date] = {}
    for thing in things:
        for name in ("datePublished", "dateModified"):
            value = thing.get(name)
            day = parse_date(value) if isinstance(value, str) else None
            if day is not None:
                found.setdefault(name, day)
    return found


def _said_in_text(tree: LexborHTMLParser) -> date | None:
    lines = tree.body.text(separator="\n") if tree.body is not None else ""
    return _first(found[1] for found in reversed(list(_SAID_IN_TEXT.finditer(lines))))


def _words_before(node: LexborNode) -> str:
    """ "Last updated" of "Last updated <time>": only the text in the same small box."""
    text = node.parent.text() if node.parent is not None and node.tag == "time" else ""
    return text if len(text) < 80 else ""


def _is_of_event(node: LexborNode) -> bool:
    """Whether it says when something takes place."""
    names = (node.attributes.get("itemprop") or "").lower()
    if names in {"startdate", "enddate", "doortime"}:
        return True
    return any("Event" in (above.attributes.get("itemtype") or "") for above in ancestors(node))


def _is_the_only_time(tag: str | None, tree: LexborHTMLParser) -> bool:
    """Whether it is the only time on the page, which is then the page's own; of several, only marked ones are."""
    return tag == "time" and len(tree.css("time")) == 1
