"""Reads a page's links, including those of buttons and scripts, and its directives for robots."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.address_policy import AddressPolicy
from crawler.errors import UrlRefused
from crawler.extract.metadata.page_metadata import declared_language
from crawler.url_rules import DEFAULT_PORTS, normalise_url

_PROTECTION_PATH: Final = "/cdn-cgi/l/email-protection"
_MOST_PROTECTED: Final = 500


def show_addresses(tree: LexborHTMLParser) -> None:
    """Restore the mail addresses, and the links to them, that Cloudflare replaces by "[email protected]" until its
    script runs, in place."""
    for node in tree.css("[data-cfemail]")[:_MOST_PROTECTED]:
        if not (address := decoded(node.attributes.get("data-cfemail") or "")):
            continue
        if node.tag == "a":
            link = tree.create_node("a")
            link.attrs["href"] = f"mailto:{address}"
            link.insert_child(address)
            node.replace_with(link)
        else:
            node.replace_with(address)
    for link in tree.css(f'a[href*="{_PROTECTION_PATH}#"]')[:_MOST_PROTECTED]:
        if address := decoded((link.attributes.get("href") or "").partition("#")[2]):
            link.attrs["href"] = f"mailto:{address}"


def decoded(digits: str) -> str:
    """Decode an address from hexadecimal bytes, of which the first is the XOR key of the others. "" if it is
    invalid."""
    try:
        key, *rest = bytes.fromhex(digits)
        address = bytes(byte ^ key for byte in rest).decode()
    except ValueError:
        return ""
    return address if "@" in address and address.isprintable() else ""


_OPENS: Final = re.compile(
    r"\s*(?:return\s+)?(?:(?:window|document|self|top|parent)\.)?"
    r"(?:location(?:\.href)?\s*=|location\.(?:assign|replace)\(|open\()\s*(?P<quote>['\"])(?P<url>[^'\"\s<>]+)(?P=quote)"
)
_BY_SCRIPT: Final = "button[onclick],input[type=button i][onclick],[role=button][onclick]"
_TO_FILL_IN: Final = "input:not([type=submit i]),select,textarea"
_SUBMITS: Final = "button:not([type=button i]):not([type=reset i]),input[type=submit i]"
_MOST_BUTTONS: Final = 200


def write_button_links(tree: LexborHTMLParser) -> None:
    """Turn buttons into links if their script opens an address, or if their form has nothing to fill in."""
    for button in tree.css(_BY_SCRIPT)[:_MOST_BUTTONS]:
        if button.tag != "a" and (found := _OPENS.match(button.attributes.get("onclick") or "")):
            _write_link(tree, button, button, found["url"])
    for form in tree.css("form[action]")[:_MOST_BUTTONS]:
        buttons = form.css(_SUBMITS)
        is_get = (form.attributes.get("method") or "get").lower() == "get"
        if is_get and len(buttons) == 1 and form.css_first(_TO_FILL_IN) is None:
            _write_link(tree, form, buttons[0], form.attributes.get("action") or "")


def _write_link(tree: LexborHTMLParser, place: LexborNode, button: LexborNode, url: str) -> None:
    label = " ".join((button.text() or button.attributes.get("value") or "").split())
    if not label or not url:
        return
    link = tree.create_node("a")
    link.attrs["href"] = url
    link.insert_child(label)
    place.replace_with(link)


Normaliser = Callable[[str], str]
_MAX_LINKS = 5000
# The last two are the only links on start pages of versioned documentation and of old manuals.
_LEADING_ELSEWHERE = "a[href],area[href],meta[http-equiv=refresh i][content],frame[src]"
_REFRESH = re.compile(r"\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"'>]+)", re.IGNORECASE)
_AS_IT_IS: Final = re.compile(r"https?://[a-z0-9.-]+/[\w/.~%-]*+(?:\?[\w/.~%&=-]++)?", re.ASCII)  # most links
# Picture files have no text, unlike a wiki's page about one, "File:Map.png".
_PICTURE = re.compile(r".*/[^/:]+\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?|ico)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageLinks:
    """`links` are normalised, unique, in document order; empty if the page declares nofollow."""

    links: tuple[str, ...]
    canonical_url: str
    is_noindex: bool


def read_links(tree: LexborHTMLParser, url: str, normalise: Normaliser | None = None) -> PageLinks:
    """Read <a>, <area>, <frame>, rel=canonical, meta refresh and robots of the page at `url`; never raises.

    `normalise` raises UrlRefused for links that must not be followed; the default is `normaliser_for(url)`.
    """
    normalise = normalise or normaliser_for(url)
    base = base_of(tree, url)
    is_noindex, is_nofollow = _robots(tree)
    links = () if is_nofollow else _links(tree, base, normalise)
    return PageLinks(links, _canonical(tree, base, url, normalise), is_noindex)


def normaliser_for(url: str) -> Normaliser:
    """`normalise_url` that allows links to the page's own address, which was dialled, even if it is not public."""
    try:
        parts = urlsplit(url)
        own = (parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0))
    except ValueError:
        own = ("", 0)
    policy = AddressPolicy(frozenset({own}))
    return lambda text: normalise_url(text, policy)


def base_of(tree: LexborHTMLParser, url: str) -> str:
    """The base URL of the page's relative links."""
    node = tree.css_first("base[href]")
    href = (node.attributes.get("href") or "").strip() if node is not None else ""
    joined = _join(url, href) if href else url
    return joined if joined.lower().startswith(("http://", "https://")) else url


def _links(tree: LexborHTMLParser, base: str, normalise: Normaliser) -> tuple[str, ...]:
    found: dict[str, None] = {}
    seen: set[str] = set()  # as written, without fragments: a manual links to each of its pages a hundred times
    for node in tree.css(_LEADING_ELSEWHERE):
        attributes = node.attributes
        href = _target(node.tag, attributes)
        if not href or href.startswith("#") or "nofollow" in (attributes.get("rel") or "").lower().split():
            continue
        page = href.partition("#")[0]
        if page in seen:
            continue
        seen.add(page)
        target = _absolute(base, page, normalise)
        if target is not None and not _PICTURE.fullmatch(target.partition("?")[0]):
            found.setdefault(target)
            if len(found) >= _MAX_LINKS:
                break
    return tuple(found)


def _target(tag: str | None, attributes: Mapping[str, str | None]) -> str:
    if tag != "meta":
        return (attributes.get("href") or attributes.get("src") or "").strip()
    refresh = _REFRESH.match(attributes.get("content") or "")
    return refresh[1].strip() if refresh else ""


def _canonical(tree: LexborHTMLParser, base: str, url: str, normalise: Normaliser) -> str:
    for node in tree.css('link[rel~="canonical" i][href]'):
        target = _absolute(base, (node.attributes.get("href") or "").strip(), normalise)
        if target is not None and urlsplit(target).netloc == urlsplit(url).netloc:
            return url if target != url and _is_translation(tree, base, url, target, normalise) else target
    return url


def _is_translation(tree: LexborHTMLParser, base: str, url: str, target: str, normalise: Normaliser) -> bool:
    """Whether the page declares `target` as its version in another language. Many sites wrongly name the version in
    their original language as the canonical URL of translations."""
    languages: dict[str, set[str]] = {}
    for node in tree.css('link[rel~="alternate" i][hreflang][href]'):
        tag = (node.attributes.get("hreflang") or "").lower().partition("-")[0].strip()
        if tag and tag != "x" and (twin := _absolute(base, (node.attributes.get("href") or "").strip(), normalise)):
            languages.setdefault(twin, set()).add(tag)
    own = languages.get(url) or {(declared_language(tree) or "")}
    return target in languages and not own & languages[target]


def _absolute(base: str, href: str, normalise: Normaliser) -> str | None:
    joined = as_browsers_read(base, href)
    if not joined.lower().startswith(("http://", "https://")):
        return None
    try:
        return normalise(joined.partition("#")[0])
    except UrlRefused:
        return None


def as_browsers_read(base: str, href: str) -> str:
    """The absolute URL of an href as browsers parse it, ignoring tabs and line ends and with "/" for "\\"; "" if it is
    invalid."""
    if _AS_IT_IS.fullmatch(href):
        return href
    path, mark, query = href.replace("\t", "").replace("\n", "").replace("\r", "").replace(" ", "%20").partition("?")
    return _join(base, path.replace("\\", "/") + mark + query)


def _join(base: str, href: str) -> str:
    try:
        return urljoin(base, href)
    except ValueError:
        return ""


def _robots(tree: LexborHTMLParser) -> tuple[bool, bool]:
    """(is_noindex, is_nofollow) from meta elements for all robots."""
    words: set[str] = set()
    for node in tree.css('meta[name="robots" i][content]'):
        words |= {word.strip() for word in (node.attributes.get("content") or "").lower().split(",")}
    return bool(words & {"noindex", "none"}), bool(words & {"nofollow", "none"})
