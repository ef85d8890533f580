"""Title, description, language and dates of a page."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache
from urllib.parse import unquote, urlsplit

import re2
from py3langid.langid import MODEL_FILE, LanguageIdentifier
from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.html_tree import ancestors
from crawler.extract.invisible_text import visible_line, without_invisible
from crawler.extract.markdown.inline import plain_text
from crawler.extract.metadata.linked_data import Thing

_SUBTAG = re.compile(r"^\s*([a-z]{2,3})(?:[-_][A-Za-z0-9_.-]*)?\s*(?:,.*)?$", re.IGNORECASE)
_NO_LANGUAGE = frozenset({"und", "zxx", "mul", "mis", "xx"})
_MIN_LETTERS = 60
_MAX_CHARS = 3000
_MIN_CONFIDENCE = 0.9


def declared_language(tree: LexborHTMLParser) -> str | None:
    """The BCP 47 primary subtag from html lang, og:locale or Content-Language, in this order."""
    root = tree.root
    declared = [(root.attributes.get("lang") or root.attributes.get("xml:lang")) if root is not None else None]
    for selector in (
        'meta[property="og:locale" i]',
        'meta[http-equiv="content-language" i]',
        'meta[name="language" i]',
    ):
        node = tree.css_first(selector)
        declared.append(node.attributes.get("content") if node is not None else None)
    return next((subtag for value in declared if (subtag := primary_subtag(value)) is not None), None)


def primary_subtag(tag: str | None) -> str | None:
    """The primary subtag of a language tag: "en" for "en-GB"; None for any other text."""
    found = _SUBTAG.match(tag or "")
    subtag = found[1].lower() if found else None
    return None if subtag in _NO_LANGUAGE else subtag


def detected_language(text: str) -> str | None:
    """The language of a text (BCP 47 primary subtag); None if the text is too short to be sure."""
    sample = re.sub(r"```.*?```|`[^`]*`|https?://\S+", " ", text[: 2 * _MAX_CHARS], flags=re.DOTALL)[:_MAX_CHARS]
    if sum(sign.isalpha() for sign in sample) < _MIN_LETTERS:
        return None
    return _classify(sample)


def _classify(sample: str) -> str | None:
    language, confidence = _identifier().classify(sample)
    return str(language) if float(confidence) >= _MIN_CONFIDENCE else None


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


_MAX_TITLE_CHARS = 300
_MAX_NAME_CHARS = 60
_PALE = 0xE0  # minimum of red, green and blue in a pale colour
_TOUCH_PX = 180  # size of an icon for phones that declares none
_LEAST_ICON_PX = 64
_SAYS_ITS_NAME = ('meta[property="og:site_name" i]', 'meta[name="application-name" i]')
_EVERY_HOME = frozenset({"home", "home page", "homepage", "index", "start", "welcome"})
_MAX_DESCRIPTION_CHARS = 1000
_SEPARATOR = re.compile(r"(?<!\s)\s++[|·•»«›‹–—\-~]++\s++|(?:(?<!\s)\s++)?[|»«]\s*+|:\s++")
_JOINING = "|·•»«›‹–—~:-"  # the hyphen is last because it is used in character classes
_UNFILLED = re.compile(rf"[{_JOINING}]+\s.*|.*\s[{_JOINING}]+")  # "Acme - ": the site's name without the page's
_INDEX_FILE = re.compile(r"index\.\w{2,5}")
_SECTION_NUMBER = re.compile(r"(?:(?:Chapter|Appendix) )?(?:\d+|[A-Z])(?:\.\d+)*\.? ")


def page_title(tree: LexborHTMLParser, main: LexborNode | None, url: str, site: str = "") -> str:
    """The page's title without the site's name: og:title, else <title>, else the first heading, else from the URL.

    If the declared title is the first heading plus the site's name, the heading is returned. `site` is the site's name
    in the page's frame; it is removed from the title with everything after it.
    """
    heading_node = main.css_first("h1") if main is not None else None
    heading = plain_text(heading_node) if heading_node is not None else _first_heading(main)
    element = tree.css_first("head > title") or tree.css_first("title")
    declared = _meta(tree, 'meta[property="og:title" i]', 'meta[name="twitter:title" i]')
    declared = declared or (visible_line(element.text()) if element is not None else "")
    for separator in _SEPARATOR.finditer(declared):
        if site and declared[separator.end() :].startswith(site) and separator.start():
            declared = declared[: separator.start()]
            break
    title = _without_site(declared, heading, _site_names(tree, url))
    return (title or heading or _from_url(url))[:_MAX_TITLE_CHARS]


def site_name(tree: LexborHTMLParser, url: str) -> str:
    """The site's name from its start page `url`: og:site_name, else the part of the title that matches the host, else
    the first part that is more than "Home"; "" if that is no name."""
    name = _meta(tree, *_SAYS_ITS_NAME)
    if not name:
        element = tree.css_first("head > title") or tree.css_first("title")
        parts = _SEPARATOR.split(visible_line(element.text())) if element is not None else []
        own = _site_names(tree, url)
        named = [part for part in parts if _letters(part) in own]
        name = next(iter((*named, *(part for part in parts if part and part.lower() not in _EVERY_HOME))), "")
    return name if len(name) <= _MAX_NAME_CHARS else ""


def site_color(tree: LexborHTMLParser) -> str:
    """The site's theme-color as "#rrggbb"; "" without one, and for a pale one, which is a background."""
    color = _meta(tree, 'meta[name="theme-color" i]:not([media*="dark"])').lower()
    if re.fullmatch(r"#[0-9a-f]{3}", color):
        color = "#" + "".join(digit * 2 for digit in color[1:])
    is_color = re.fullmatch(r"#[0-9a-f]{6}", color) is not None
    return color if is_color and min(bytes.fromhex(color[1:])) < _PALE else ""


def site_icon(tree: LexborHTMLParser) -> str:
    """The href of the site's largest icon; "" if none is large enough for a logo. Icons for phones' start screens count
    as large if they declare no size."""
    icons = {}
    for node in tree.css('link[rel*="icon" i][href]'):
        size = re.match(r"(\d{1,4})x", node.attributes.get("sizes") or "", re.IGNORECASE)
        is_touch = "apple-touch-icon" in (node.attributes.get("rel") or "").lower()
        icons[node.attributes.get("href") or ""] = int(size[1]) if size else _TOUCH_PX if is_touch else 0
    best = max(icons, key=icons.__getitem__, default="")
    return best if icons.get(best, 0) >= _LEAST_ICON_PX else ""


def page_description(tree: LexborHTMLParser) -> str:
    found = _meta(
        tree,
        'meta[name="description" i]',
        'meta[property="og:description" i]',
        'meta[name="twitter:description" i]',
    )
    return found[:_MAX_DESCRIPTION_CHARS]


def _meta(tree: LexborHTMLParser, *selectors: str) -> str:
    for selector in selectors:
        for node in tree.css(selector):
            if text := visible_line(node.attributes.get("content") or ""):
                return text
    return ""


def _without_site(title: str, heading: str, sites: frozenset[str]) -> str:
    number = _SECTION_NUMBER.match(heading)
    name = heading[number.end() :] if number else heading
    if len(name) > 2 and title.startswith(f"{name} (") and title.endswith(")"):
        return name  # "Strings (GNU Octave)"
    if heading and title != heading and len(heading) > 2:
        pieces = title.split(heading)
        ends = [piece.strip() for piece in (pieces[0], pieces[-1])]
        if len(pieces) == 2 and not all(ends) and all(not end or _is_joined(end) for end in ends):
            return heading
    if _UNFILLED.fullmatch(title):
        return heading or title.strip(f" {_JOINING}")
    parts = _SEPARATOR.split(title)
    if len(parts) > 1 and any(_letters(parts[-1]).startswith(site) for site in sites):  # "Acme Ltd" of acme.com
        return title[: title.rindex(parts[-1])].rstrip(f" {_JOINING}")
    if len(parts) > 1 and _letters(parts[0]) in sites:
        return title[title.index(parts[0]) + len(parts[0]) :].lstrip(f" {_JOINING}")
    return title


def _is_joined(end: str) -> bool:
    """Whether a separator joins the heading to the rest of a title, which then is the site's name."""
    return end[0] in _JOINING or end[-1] in _JOINING


def _site_names(tree: LexborHTMLParser, url: str) -> frozenset[str]:
    own_name = _meta(tree, *_SAYS_ITS_NAME)
    host = urlsplit(url).hostname or ""
    labels = host.removeprefix("www.").split(".")
    names = {_letters(own_name), _letters(host), *(_letters(label) for label in labels[:-1])}
    return frozenset(name for name in names if len(name) > 3)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _first_heading(main: LexborNode | None) -> str:
    node = main.css_first("h2,h3,h4,h5,h6") if main is not None else None
    return plain_text(node) if node is not None else ""


def _from_url(url: str) -> str:
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    if segments and _INDEX_FILE.fullmatch(segments[-1]):
        segments.pop()
    name = re.sub(r"\.\w{2,5}$", "", unquote(segments[-1])) if segments else ""
    return re.sub(r"[-_+]+", " ", without_invisible(name)).strip() or parts.hostname or url


# The sources of a page's dates of publication and change, in order of trust: meta elements, JSON-LD, <time>, text.
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
_DATE_IN_TEXT = re.compile(
    r"^[^\w\n]{0,5}(?:this (?:page|document|article) (?:was )?)?"
    r"last (?:modified|updated|changed|edited|revised|reviewed)"
    r"(?: on| at)?:?[ \t]*\n?[ \t]*(\S.{5,59})$",
    re.IGNORECASE | re.MULTILINE,
)

_MAY_SAY = re2.compile(r"(?i)last (?:modified|updated|changed|edited|revised|reviewed)")


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
        day = parse_date(attributes.get("datetime") or attributes.get("content") or node.text())
        names = f"{attributes.get('itemprop') or ''} {attributes.get('class') or ''} {_words_before(node)}".lower()
        if day is None or _is_of_event(node):
            continue
        if any(word in names for word in _CHANGED):
            modified = modified or day
        elif "publi" in names or "pubdate" in attributes or _is_the_only_time(node.tag, tree):
            published = published or day
    return published, modified or _date_in_text(tree)


def parse_date(text: str) -> date | None:
    """Parse a day from ISO 8601, RFC 2822 or English text. None for anything else, for days before 1990, and for future
    days, which are mistakes or belong to events."""
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


def _date_in_text(tree: LexborHTMLParser) -> date | None:
    lines = tree.body.text(separator="\n") if tree.body is not None else ""
    if not _MAY_SAY.search(lines):
        return None  # a fast check that excludes most pages
    return _first(found[1] for found in reversed(list(_DATE_IN_TEXT.finditer(lines))))


def _words_before(node: LexborNode) -> str:
    """The text before a <time> in the same small box, such as "Last updated"."""
    text = node.parent.text() if node.parent is not None and node.tag == "time" else ""
    return text if len(text) < 80 else ""


def _is_of_event(node: LexborNode) -> bool:
    """Whether a <time> is the date of an event."""
    names = (node.attributes.get("itemprop") or "").lower()
    if names in {"startdate", "enddate", "doortime"}:
        return True
    return any("Event" in (above.attributes.get("itemtype") or "") for above in ancestors(node))


def _is_the_only_time(tag: str | None, tree: LexborHTMLParser) -> bool:
    """Whether this is the page's only <time>, which then is the page's date; of several, only marked ones are."""
    return tag == "time" and len(tree.css("time")) == 1
